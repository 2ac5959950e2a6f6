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
  const open = async () => (await import(HOST)).openTerminal(kvps?.pane ?? "");
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

// A line below the step's title: at the step that waits for the person, else at the last one if that
// says what is asked. Also told in the terminal's bar while the agent waits.
function callOut(step, waits, asked, open) {
  const before = (line) =>
    step.contains(line) || line.compareDocumentPosition(step) & Node.DOCUMENT_POSITION_FOLLOWING;
  const lines = [...document.querySelectorAll(`.${LINE}`)].filter(before);
  const text = waits ? lines.at(-1)?.firstChild.textContent || WAITS : asked;
  lines.forEach((line) => line.remove());
  document.body.dataset.tmuxAsked = waits ? text : "";
  document.querySelectorAll("tmux-terminal").forEach((terminal) => terminal.say?.());
  if (!text) return;
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
