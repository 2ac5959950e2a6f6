import {
  createActionButton,
  copyToClipboard,
} from "/components/messages/action-buttons/simple-action-buttons.js";
import { store } from "/components/modals/process-step-detail/step-detail-store.js";
import { buildDetailPayload, cleanStepTitle, drawProcessStep } from "/js/messages.js";

const HOST = "/plugins/tmux_tool/webui/host.js";
const ASKED = {
  password: "The terminal asks for a password. The agent does not see what you type there.",
  input: "The terminal asks a question.",
  key: "The terminal waits for a key.",
};
const WAITS = "The agent waits for what you type in the terminal.";
const FAILED = /^.*exit status [1-9]/; // in the first line
// A line without `tmux-waits` is seen when the agent has stopped: until then it answers by itself.
const STYLE = `
  .tmux-callout { padding: 4px 12px 6px 28px; font-size: 0.8rem }
  .process-group:not(:has(.process-group-response), [data-group-complete])
    .tmux-callout:not(.tmux-waits) { display: none }`;
const LINE = '<span></span> <a href="#">Answer in the terminal</a>';

const make = (tag, more) => Object.assign(document.createElement(tag), more);
document.head.append(make("style", { textContent: STYLE }));
const line = make("div", { className: "tmux-callout", role: "status", innerHTML: LINE });

// Draws a terminal's text in a fixed-width font, as the host does for its own code execution.
export default async function registerTmuxToolHandler(extData) {
  if (extData?.tool_name === "tmux_tool") extData.handler = drawTerminal;
}

function drawTerminal(args) {
  const { id, heading, content, kvps } = args;
  const text = String(content ?? "");
  const command = kvps?.text ? `> ${kvps.text}\n` : "";
  const open = async () => {
    hold();
    (await import(HOST)).openTerminal(kvps?.pane ?? "");
  };
  const labels = { headerLabels: [{ label: "tmux_tool", class: "tool-name-badge" }] };
  const detail = () => store.showStepDetail(buildDetailPayload(args, labels));
  const drawn = drawProcessStep({
    id,
    title: cleanStepTitle(heading),
    code: { error: "ERR", gone: "ERR" }[text.split(":")[0]] ?? (FAILED.test(text) ? "WRN" : "EXE"),
    kvps: {},
    content: command + text,
    contentClasses: ["terminal-output"],
    actionButtons: [
      createActionButton("terminal", "Open the terminal", open),
      createActionButton("detail", "", detail),
      command && createActionButton("copy", "Command", () => copyToClipboard(kvps.text)),
      text && createActionButton("copy", "Output", () => copyToClipboard(text)),
    ].filter(Boolean),
    log: args,
  });
  const waits = String(kvps?.person) === "true" && !String(heading).includes(" -> ");
  if (drawn?.step) callOut(drawn.step, waits, ASKED[/^needs (\w+) after /.exec(text)?.[1]], open);
  return drawn;
}

// What is typed until the terminal has the focus, perhaps a password, must not go into the chat.
// Over with a press elsewhere and with Escape, should it not open.
function hold() {
  document.activeElement?.blur();
  const over = new AbortController();
  const swallow = (event) => {
    const open = document.activeElement?.localName === "tmux-terminal";
    if (open || event.key === "Escape" || event.type === "pointerdown") return over.abort();
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const kind of "keydown keypress beforeinput paste pointerdown focusin".split(" "))
    addEventListener(kind, swallow, { capture: true, signal: over.signal });
}

// Places the line below the step's title: at the step that waits for the person, else at the last
// one if that says what is asked. Also told in the terminal's bar while the agent waits.
function callOut(step, waits, asked, open) {
  if (step.compareDocumentPosition(line) === Node.DOCUMENT_POSITION_FOLLOWING) return;
  const [says, link] = line.children;
  const text = waits ? (line.isConnected && says.textContent) || WAITS : asked;
  document.body.dataset.tmuxAsked = waits ? text : "";
  document.querySelectorAll("tmux-terminal").forEach((terminal) => terminal.say?.());
  if (!text) return line.remove();
  says.textContent = text;
  line.classList.toggle("tmux-waits", waits);
  link.onclick = (event) => {
    event.preventDefault();
    event.stopPropagation();
    open();
  };
  // A step is drawn often, and a line that is moved under the pointer loses the click.
  if (!step.contains(line)) step.querySelector(".process-step-header").after(line);
}
