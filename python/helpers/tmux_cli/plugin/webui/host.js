// The terminal in Agent Zero's page: its way to the server, and the dock beside the conversation.
import { createNamespacedClient } from "/js/websocket.js";
import { openModal } from "/js/modals.js";
import { define } from "./terminal.js";

const DIALOG = "/plugins/tmux_tool/webui/main.html"; // with a terminal in it
const TIMEOUT = 30000; // milliseconds; the server answers within 4 s
const LEAST = 500; // pixels of the page's height from which there is room for a dock
const ICONS = "material-symbols-outlined";
const BUTTON = "background: none; border: 0; color: inherit; font-size: 18px; cursor: pointer";

// A connection of our own: handlers added to the page's would reconnect the chat.
const client = createNamespacedClient("/ws");
client.addHandlers?.(["plugins/tmux_tool/ws_view"]);

define(async (event, data) => {
  if (!client.addHandlers)
    return { refused: "Agent Zero before v1.5 cannot show it here; run: tmux-tool view" };
  const { results } = await client.request(event, data, { timeoutMs: TIMEOUT });
  const [{ ok, data: reply, error }] = results;
  if (ok) return reply;
  if (error.code === "NO_HANDLERS") await client.disconnect(); // the next question connects anew
  throw new Error(error.error);
});

// Opens the terminal at `pane` ("" for the one that the session is at), beside the conversation
// where there is room.
export function openTerminal(pane = "") {
  const place = document.querySelector("#chat-area-wrapper");
  const open = () => document.querySelector("tmux-terminal");
  if (!open() && place && innerHeight >= LEAST) place.after(dock());
  if (open()) open().show(pane);
  else openModal(DIALOG);
}

export function toggleTerminal() {
  const open = document.querySelector(".tmux-dock");
  if (open) open.remove();
  else openTerminal();
}

function dock() {
  const terminal = document.createElement("tmux-terminal");
  terminal.className = "tmux-dock";
  terminal.style.cssText = "flex: none; height: 42%; min-height: 120px";
  const button = (title, icon, act) => {
    const made = document.createElement("button");
    const onclick = () => {
      terminal.remove();
      act?.();
    };
    made.style.cssText = BUTTON;
    Object.assign(made, { title, onclick, textContent: icon, className: ICONS });
    terminal.append(made);
  };
  button("Large", "open_in_full", () => openModal(DIALOG));
  button("Close", "close");
  return terminal;
}
