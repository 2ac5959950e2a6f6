// The terminal in Agent Zero's page: its connection to the server, and where it stands there.
import { createNamespacedClient } from "/js/websocket.js";
import { openModal } from "/js/modals.js";
import { define, next, SEEN } from "./terminal.js";

const SURFACE = "tmux_tool"; // of the right canvas, which hosts have from v2 on
const DIALOG = "/plugins/tmux_tool/webui/main.html"; // with a terminal in it
const TIMEOUT = 30000; // milliseconds; the server answers within 4 s
const LEAST = 500; // pixels of height that a page with a dock needs
const LOWEST = 120; // pixels of the dock's height
const BUTTON = `class="material-symbols-outlined" style="background: none; border: 0; padding: 0;
  color: inherit; font-size: 18px; cursor: pointer"`;
const DOCK = `
  <tmux-terminal class="tmux-dock" style="flex: none; max-height: 80vh">
    <button ${BUTTON} title="Larger" aria-label="Larger">open_in_full</button>
    <button ${BUTTON} title="Close" aria-label="Close the terminal">close</button>
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

const all = () => [...document.querySelectorAll("tmux-terminal")];
const visible = () => all().find((one) => one.checkVisibility(SEEN));
const dock = () => document.querySelector(".tmux-dock");

function canvas() {
  const store = globalThis.Alpine?.store("rightCanvas");
  return store?.getSurface?.(SURFACE) ? store : null;
}

// Opens the terminal at `pane` ("": the session's): in the canvas, below the chat, or as a dialog.
export async function openTerminal(pane = "") {
  next.pane = pane;
  if (visible()) return visible().show(pane);
  if (await canvas()?.open(SURFACE, { pane })) return;
  const place = document.querySelector("#chat-area-wrapper");
  if (!place || innerHeight < LEAST) return openModal(DIALOG);
  place.insertAdjacentHTML("afterend", DOCK);
  const [large, close] = dock().children;
  close.onclick = () => dock().remove();
  large.onclick = () => dock().remove() ?? openModal(DIALOG);
  dock().style.height = localStorage.tmuxToolHeight || "42%";
  dock().onpointerdown = drag;
}

export function toggleTerminal() {
  const store = canvas();
  if (store?.isSurfaceVisible(SURFACE)) store.close();
  else if (dock()) dock().remove();
  else openTerminal();
}

// The canvas' terminal: made when it is first opened; from then on it stays at its pane.
export function panelTerminal(pane) {
  const panel = document.querySelector(`[data-surface-id="${SURFACE}"]`);
  const there = panel.querySelector("tmux-terminal");
  if (!there) panel.innerHTML = '<tmux-terminal style="width: 100%; height: 100%"></tmux-terminal>';
  else if (pane !== undefined) there.show(pane);
}

// The bar moves the dock's upper edge.
function drag(down) {
  if (down.composedPath()[0].closest(".box, .card, .keys, button, select")) return;
  const it = dock();
  const bottom = it.getBoundingClientRect().bottom;
  it.setPointerCapture(down.pointerId);
  it.onpointermove = ({ clientY }) => (it.style.height = `${Math.max(LOWEST, bottom - clientY)}px`);
  it.onpointerup = () => {
    it.onpointermove = null;
    localStorage.tmuxToolHeight = it.style.height;
  };
}
