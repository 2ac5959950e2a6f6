// The terminal in Agent Zero's page: its connection to the server, and where it stands there.
import { createNamespacedClient } from "/js/websocket.js";
import { openModal } from "/js/modals.js";
import { define, SEEN } from "./terminal.js";

const SURFACE = "tmux_tool"; // of the right canvas
const PANEL = `.right-canvas-surface-panel[data-surface-id="${SURFACE}"]`;
const TIMEOUT = 30000; // milliseconds; the server answers within 4 s
const JUST = 5000; // milliseconds since it was seen
const LEAST = 500; // pixels of height that a page with a dock needs
const CLOSE = '<button aria-label="Close the terminal">Close</button>';
const DOCK = `<tmux-terminal class="tmux-dock">${CLOSE}</tmux-terminal>`;

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
const canvas = () => globalThis.Alpine?.store("rightCanvas"); // of hosts from v2 on

// Opens the terminal at `pane` ("": the session's): in the canvas, below the chat, or as a dialog.
export async function openTerminal(pane = "") {
  document.body.dataset.tmuxPane = pane;
  const all = [...document.querySelectorAll("tmux-terminal")];
  for (const one of all) one.show(pane);
  if (all.some((one) => one.checkVisibility(SEEN)) || (await canvas()?.open(SURFACE))) return;
  const place = document.querySelector("#chat-area-wrapper");
  if (!place || innerHeight < LEAST) return openModal("/plugins/tmux_tool/webui/main.html");
  place.insertAdjacentHTML("afterend", DOCK);
  const it = dock();
  it.firstElementChild.onclick = () => it.remove();
  it.style.height = localStorage.tmuxToolHeight || "42%";
  it.onpointerdown = (event) => {
    if (event.composedPath()[0].matches(".note")) it.setPointerCapture(event.pointerId);
  };
  it.onpointermove = ({ pointerId, clientY }) => {
    if (!it.hasPointerCapture(pointerId)) return;
    it.style.height = `${it.getBoundingClientRect().bottom - clientY}px`;
    localStorage.tmuxToolHeight = it.style.height;
  };
}

// By its icon at the edge, its tab or its button.
export const showInCanvas = () => document.querySelector(`${PANEL} tmux-terminal`)?.show();

// The host closes its canvas where a page gets as narrow as a phone's: by zoom, too.
export const keepOpen = () =>
  Date.now() - document.querySelector(`${PANEL} tmux-terminal`)?.seenAt < JUST &&
  openTerminal(document.body.dataset.tmuxPane);

export function toggleTerminal() {
  if (canvas()?.isSurfaceVisible(SURFACE)) canvas().close();
  else if (dock()) dock().remove();
  else openTerminal();
}
