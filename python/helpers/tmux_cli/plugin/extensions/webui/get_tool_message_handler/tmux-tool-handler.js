import { createActionButton } from "/components/messages/action-buttons/simple-action-buttons.js";
import { drawMessageToolSimple } from "/js/messages.js";
import { settings } from "/plugins/tmux_tool/webui/allowed.js";

const WEBUI = "/plugins/tmux_tool/webui";
const SECRET = "The terminal asks for a password. The agent does not see what you type there.";
const WAITS = "The terminal waits for you.";
const FAILED = /^.*exit status [1-9]/; // in the first line
const LINE = `<span></span> <button class="button confirm">Answer in the terminal</button>
  <span></span>`;

const make = (tag, more) => Object.assign(document.createElement(tag), more);
document.head.append(make("link", { rel: "stylesheet", href: `${WEBUI}/step.css` }));
const ended = new Map(); // by id, the steps whose answer is shown
const line = make("div", { className: "tmux-callout", role: "status", innerHTML: LINE });

// Draws a terminal's text in a fixed-width font, as the host does for its own code execution.
export default async function registerTmuxToolHandler(extData) {
  if (extData?.tool_name === "tmux_tool") extData.handler = drawTerminal;
}

function drawTerminal(args) {
  const { id, heading, content, kvps } = args;
  const ends = String(heading).includes(" -> ");
  if (!ends && ended.get(id)?.isConnected) return {}; // drawn late, and older than what is shown
  const text = String(content ?? "");
  const command = kvps?.text ? `> ${kvps.text}\n` : "";
  const drawn = drawMessageToolSimple({
    ...args,
    code: { error: "ERR", gone: "ERR" }[text.split(":")[0]] ?? (FAILED.test(text) ? "WRN" : "EXE"),
    displayKvps: {},
    content: command + text,
  });
  if (ends) ended.set(id, drawn.step);
  drawn.content?.classList.add("terminal-output");
  const open = async () => {
    document.activeElement?.blur(); // what is typed until it opens must not go into the chat
    (await import(`${WEBUI}/host.js`)).openTerminal(kvps?.pane ?? "");
  };
  const button = createActionButton("terminal", "Open the terminal", open);
  drawn.step.querySelector(".step-detail-actions").prepend(button);
  settings().then(({ view }) => (button.hidden = view === "off"));
  const waits = String(kvps?.person) === "true" && !ends;
  callOut(drawn.step, waits, /^needs (\w+) after /.exec(text)?.[1], open);
  return drawn;
}

// Places the line below the step's title: at the step that waits for the person, else at the last
// one if it asks for something. Also told in the terminal's bar while the agent waits.
function callOut(step, waits, asks, open) {
  if (step.compareDocumentPosition(line) === Node.DOCUMENT_POSITION_FOLLOWING) return;
  const [says, button, other] = line.children;
  if (asks || !line.isConnected) says.textContent = asks === "password" ? SECRET : WAITS;
  settings().then(({ view, attach }) => {
    button.hidden = view !== "type";
    other.textContent = button.hidden ? `Answer it by: ${attach}` : "";
  });
  document.body.dataset.tmuxAsked = waits ? says.textContent : "";
  document.querySelectorAll("tmux-terminal").forEach((terminal) => terminal.say?.());
  if (!waits && !asks) return line.remove();
  line.classList.toggle("tmux-waits", waits);
  button.onclick = open;
  // A step is drawn often, and a line that is moved under the pointer loses the click.
  if (!step.contains(line)) step.querySelector(".process-step-header").after(line);
}
