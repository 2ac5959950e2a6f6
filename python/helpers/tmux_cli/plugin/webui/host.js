// The terminal in Agent Zero's page: its connection to the server, and the dock below the chat.
import { createNamespacedClient } from "/js/websocket.js";
import { openModal } from "/js/modals.js";
import { define } from "./terminal.js";

const DIALOG = "/plugins/tmux_tool/webui/main.html"; // with a terminal in it
const TIMEOUT = 30000; // milliseconds; the server answers within 4 s
const LEAST = 500; // pixels of height that a page with a dock needs
const BUTTON = `class="material-symbols-outlined"
  style="background: none; border: 0; color: inherit; font-size: 18px; cursor: pointer"`;
const DOCK = `
  <tmux-terminal class="tmux-dock" style="flex: none; height: 42%; min-height: 120px">
    <button ${BUTTON} title="Large">open_in_full</button>
    <button ${BUTTON} title="Close">close</button>
  </tmux-terminal>`;

// A connection of our own: adding handlers to the page's own would reconnect the chat.
const client = createNamespacedClient("/ws");
client.addHandlers?.(["plugins/tmux_tool/ws_view"]);

define(async (event, data) => {
  if (!client.addHandlers)
    return { refused: "Agent Zero before v1.5 cannot show it here; run: tmux-tool view" };
  const { results: [reply] } = await client.request(event, data, { timeoutMs: TIMEOUT });
  if (reply.ok) return reply.data;
  if (reply.error.code === "NO_HANDLERS") await client.disconnect(); // the next one connects anew
  throw new Error(reply.error.error);
});

// Opens the terminal at `pane` ("": the session's), below the chat if there is room.
export function openTerminal(pane = "") {
  const place = document.querySelector("#chat-area-wrapper");
  const open = () => document.querySelector("tmux-terminal");
  if (!open() && place && innerHeight >= LEAST) {
    place.insertAdjacentHTML("afterend", DOCK);
    const [large, close] = open().children;
    close.onclick = toggleTerminal;
    large.onclick = () => {
      toggleTerminal();
      openModal(DIALOG);
    };
  }
  if (open()) open().show(pane);
  else openModal(DIALOG);
}

export function toggleTerminal() {
  const open = document.querySelector(".tmux-dock");
  if (open) open.remove();
  else openTerminal();
}
