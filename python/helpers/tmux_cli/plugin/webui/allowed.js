// What the plugin's settings let the page do.
import { callJsonApi } from "/js/api.js";

const FRESH = 5000; // milliseconds; a step is drawn often
let known;
let askedAt = 0;

async function ask() {
  const asked = { action: "get_config", plugin_name: "tmux_tool" };
  const reply = await callJsonApi("/plugins", asked).catch(() => null);
  const { view = "type", session = "shared" } = reply?.data ?? {};
  const off = ["off", "false"].includes(String(view)); // YAML reads `off` as false
  return { view: off ? "off" : view, attach: `docker exec -it … tmux attach -t ${session}` };
}

// `view`: type, look or off; `attach`: how a person sees the terminal without the page.
export function settings() {
  if (Date.now() - askedAt > FRESH) {
    askedAt = Date.now();
    known = ask();
  }
  return known;
}

export const allowed = async () => (await settings()).view !== "off";
