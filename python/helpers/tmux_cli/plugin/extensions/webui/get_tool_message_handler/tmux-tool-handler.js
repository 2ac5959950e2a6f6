import {
  createActionButton,
  copyToClipboard,
} from "/components/messages/action-buttons/simple-action-buttons.js";
import { store as stepDetailStore } from "/components/modals/process-step-detail/step-detail-store.js";
import { buildDetailPayload, cleanStepTitle, drawProcessStep } from "/js/messages.js";

const HOST = "/plugins/tmux_tool/webui/host.js";
const ASKED = {
  password: "The terminal asks for a password. The agent does not see what you type there.",
  input: "The terminal asks a question.",
  key: "The terminal waits for a key.",
};
const WAITS = "The agent waits for what you type in the terminal.";
const FAILED = /^.*exit status [1-9]/; // in the first line
const LINE = "tmux-callout";
// A line without `tmux-waits` is seen when the agent has stopped: until then it answers by itself.
const STYLE = `
  .${LINE} { padding: 4px 12px 6px 28px; font-size: 0.8rem }
  .process-group:not(:has(.process-group-response), [data-group-complete])
    .${LINE}:not(.tmux-waits) { display: none }`;
document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));

// Draws a terminal's text in a fixed-width font; the host does that only for its own code execution.
export default async function registerTmuxToolHandler(extData) {
  if (extData?.tool_name === "tmux_tool") extData.handler = drawTerminal;
}

function drawTerminal(args) {
  const { id, heading, content, kvps } = args;
  const text = String(content ?? "");
  const command = kvps?.text ? `> ${kvps.text}\n` : "";
  const ended = String(heading).includes(" -> ");
  const open = async () => {
    hold();
    (await import(HOST)).openTerminal(kvps?.pane ?? "");
  };
  const headerLabels = [{ label: "tmux_tool", class: "tool-name-badge" }];
  const detail = () =>
    stepDetailStore.showStepDetail(buildDetailPayload(args, { headerLabels }));
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
  const asked = ASKED[/^needs (\w+) after /.exec(text)?.[1]];
  if (drawn?.step) callOut(drawn.step, String(kvps?.person) === "true" && !ended, asked, open);
  return drawn;
}

// What is typed until the terminal has the focus, perhaps a password, must not go into the chat. Over
// with a press elsewhere and with Escape, should it not open.
function hold() {
  const focused = document.activeElement;
  if (focused?.localName === "tmux-terminal") return;
  focused?.blur();
  const over = new AbortController();
  const how = { capture: true, signal: over.signal };
  const swallow = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === "Escape") over.abort();
  };
  for (const kind of ["keydown", "keypress", "beforeinput", "paste"])
    addEventListener(kind, swallow, how);
  addEventListener("pointerdown", () => over.abort(), how);
  addEventListener("focusin", ({ target }) => target.localName === "tmux-terminal" && over.abort(), how);
}

// A line below the step's title: at the step that waits for the person, else at the last one if that
// says what is asked. Also told in the terminal's bar while the agent waits.
function callOut(step, waits, asked, open) {
  const before = (line) =>
    step.contains(line) || line.compareDocumentPosition(step) & Node.DOCUMENT_POSITION_FOLLOWING;
  const lines = [...document.querySelectorAll(`.${LINE}`)].filter(before);
  const text = waits ? lines.at(-1)?.firstChild.textContent.trim() || WAITS : asked;
  const same = (line) => step.contains(line) && line.firstChild.textContent === `${text} `;
  // A step is drawn often, and a line that is replaced under the pointer loses the click.
  const there = lines.find((line) => same(line) && line.classList.contains("tmux-waits") === waits);
  lines.forEach((line) => line === there || line.remove());
  document.body.dataset.tmuxAsked = waits ? text : "";
  document.querySelectorAll("tmux-terminal").forEach((terminal) => terminal.say?.());
  if (!text || there) return;
  const line = Object.assign(document.createElement("div"), { className: LINE, role: "status" });
  line.classList.toggle("tmux-waits", waits);
  const link = Object.assign(document.createElement("a"), { href: "#" });
  link.textContent = "Answer in the terminal";
  link.onclick = (event) => {
    event.preventDefault();
    event.stopPropagation();
    open();
  };
  line.append(`${text} `, link);
  step.querySelector(".process-step-header").after(line);
}
