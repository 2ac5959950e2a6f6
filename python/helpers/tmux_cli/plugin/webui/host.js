// The terminal in Agent Zero's page: its connection to the server, and where it stands there.
import { createNamespacedClient } from "/js/websocket.js";
import { openModal } from "/js/modals.js";
import { define, next, SEEN } from "./terminal.js";

const SURFACE = "tmux_tool"; // of the right canvas, which hosts have from v2 on
const DIALOG = "/plugins/tmux_tool/webui/main.html"; // with a terminal in it
const TIMEOUT = 30000; // milliseconds; the server answers within 4 s
const LEAST = 500; // pixels of height that a page with a dock needs
const LOWEST = 120; // pixels of the dock's height
const DOCK = `
  <tmux-terminal class="tmux-dock" style="flex: none; max-height: 80vh">
    <button aria-label="Close the terminal">Close</button>
  </tmux-terminal>`;

// A connection of our own: adding handlers to the page's own would reconnect the chat.
const client = createNamespacedClient("/ws");
client.addHandlers?.(["plugins/tmux_tool/ws_view"]);

define(async (event, data) => {
  if (!client.addHandlers)
    return { refused: "Agent Zero before v1.5 cannot show it: docker exec -it … tmux attach" };
  const { results: [reply] } = await client.request(event, data, { timeoutMs: TIMEOUT });
  if (reply.ok) return reply.data;
  if (reply.error.code === "NO_HANDLERS") await client.disconnect(); // the next one connects anew
  throw new Error(reply.error.error);
});

const dock = () => document.querySelector(".tmux-dock");

function canvas() {
  const store = globalThis.Alpine?.store("rightCanvas");
  return store?.getSurface?.(SURFACE) ? store : null;
}

// Opens the terminal at `pane` ("": the session's): in the canvas, below the chat, or as a dialog.
export async function openTerminal(pane = "") {
  next.pane = pane;
  const all = [...document.querySelectorAll("tmux-terminal")];
  const visible = all.find((one) => one.checkVisibility(SEEN));
  if (visible) return visible.show(pane);
  if (await canvas()?.open(SURFACE, { pane })) return;
  const place = document.querySelector("#chat-area-wrapper");
  if (!place || innerHeight < LEAST) return openModal(DIALOG);
  place.insertAdjacentHTML("afterend", DOCK);
  dock().firstElementChild.onclick = () => dock().remove();
  dock().style.height = localStorage.tmuxToolHeight || "42%";
  dock().onpointerdown = drag;
}

export function toggleTerminal() {
  const store = canvas();
  if (store?.isSurfaceVisible(SURFACE)) store.close();
  else if (dock()) dock().remove();
  else openTerminal();
}

// The bar moves the dock's upper edge.
function drag(down) {
  if (!down.composedPath()[0].matches(".bar:not(.keys), .note")) return;
  const it = dock();
  const bottom = it.getBoundingClientRect().bottom;
  it.setPointerCapture(down.pointerId);
  it.onpointermove = ({ clientY }) => {
    localStorage.tmuxToolHeight = `${Math.max(LOWEST, bottom - clientY)}px`;
    it.style.height = localStorage.tmuxToolHeight;
  };
  it.onlostpointercapture = () => (it.onpointermove = null);
}
