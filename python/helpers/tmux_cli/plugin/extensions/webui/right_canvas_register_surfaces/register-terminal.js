// The terminal in the right canvas of hosts that have one.
import { allowed } from "/plugins/tmux_tool/webui/allowed.js";

export default async function registerTerminal(surfaces) {
  if (!(await allowed())) return;
  surfaces.registerSurface({
    id: "tmux_tool",
    title: "Terminal",
    icon: "terminal",
    order: 40,
    modalPath: "/plugins/tmux_tool/webui/main.html",
    // Defines the panel's element, and gives it the focus.
    open: async () => (await import("/plugins/tmux_tool/webui/host.js")).showInCanvas(),
    close: async ({ reason } = {}) =>
      reason === "mobile" && (await import("/plugins/tmux_tool/webui/host.js")).keepOpen(),
  });
}
