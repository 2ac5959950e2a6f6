// The terminal in Agent Zero's page: its way to the server, the dock beside the conversation, the
// dialog.
import { createNamespacedClient } from "/js/websocket.js";
import { openModal } from "/js/modals.js";
import "./terminal.js";

const DIALOG = "/plugins/tmux_tool/webui/main.html";
const HEIGHT = "tmux-tool-dock-height";
const TIMEOUT = 30000; // milliseconds; the server answers within 8 s
const COLUMN = "flex: none; display: flex; flex-direction: column";
const LEAST = 500; // pixels of the page's height from which there is room for a dock

// A connection of our own: handlers added to the page's would reconnect the chat.
const client = createNamespacedClient("/ws");
client.addHandlers?.(["plugins/tmux_tool/ws_view"]);

async function ask(event, data) {
  if (!client.addHandlers)
    return { refused: "Agent Zero before v1.5 cannot show it here; run: tmux-tool view" };
  const { results } = await client.request(event, data, { timeoutMs: TIMEOUT });
  const [{ ok, data: reply, error }] = results;
  if (ok) return reply;
  if (error.code === "NO_HANDLERS") await client.disconnect(); // the next question connects anew
  throw new Error(error.error);
}

export function terminal() {
  const element = document.createElement("tmux-terminal");
  element.ask = ask;
  return element;
}

// Opens the terminal at `pane` ("" for the one that the session is at), beside the conversation
// where there is room.
export function openTerminal(pane = "") {
  let element = document.querySelector("tmux-terminal");
  if (!element) {
    const place = document.querySelector("#chat-area-wrapper");
    if (!place || innerHeight < LEAST) {
      openModal(DIALOG);
      return;
    }
    element = terminal();
    place.after(dock(element));
  }
  element.show(pane);
}

export function toggleTerminal() {
  const dock = document.querySelector(".tmux-dock");
  if (dock) dock.remove();
  else openTerminal();
}

function dock(element) {
  const dock = document.createElement("div");
  dock.className = "tmux-dock";
  const height = localStorage.getItem(HEIGHT) ?? "42%";
  dock.style.cssText = `height: ${height}; min-height: 120px; max-height: 80%; ${COLUMN}`;
  const edge = document.createElement("div");
  edge.style.cssText = "height: 6px; flex: none; cursor: ns-resize; touch-action: none";
  edge.onpointerdown = (event) => edge.setPointerCapture(event.pointerId);
  edge.onpointermove = (event) => {
    if (!edge.hasPointerCapture(event.pointerId)) return;
    dock.style.height = `${dock.getBoundingClientRect().bottom - event.clientY}px`;
    localStorage.setItem(HEIGHT, dock.style.height);
  };
  const buttons = {
    open_in_full: ["Large", () => openModal(DIALOG)],
    close: ["Close", () => dock.remove()],
  };
  for (const [icon, [title, onclick]] of Object.entries(buttons)) {
    const button = Object.assign(document.createElement("button"), {
      title,
      onclick,
      className: "material-symbols-outlined",
      textContent: icon,
    });
    button.style.cssText =
      "background: none; border: 0; color: #d4d7d6; font-size: 18px; cursor: pointer";
    element.append(button);
  }
  dock.append(edge, element);
  return dock;
}

// In the dialog: main.html has a place for it.
customElements.get("tmux-terminal-dialog") ||
  customElements.define(
    "tmux-terminal-dialog",
    class extends HTMLElement {
      connectedCallback() {
        document.querySelector(".tmux-dock")?.remove();
        this.replaceChildren(terminal());
      }
    },
  );
