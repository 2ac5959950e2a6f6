import {
  createActionButton,
  copyToClipboard,
} from "/components/messages/action-buttons/simple-action-buttons.js";
import { store as stepDetailStore } from "/components/modals/process-step-detail/step-detail-store.js";
import { buildDetailPayload, cleanStepTitle, drawProcessStep } from "/js/messages.js";

const ASKED = {
  password: "The terminal asks for a password. The agent does not see what you type there.",
  input: "The terminal asks a question.",
  key: "The terminal waits for a key.",
};

// Draws a terminal's text in a fixed-width font; the host does that only for its own code execution.
export default async function registerTmuxToolHandler(extData) {
  if (extData?.tool_name === "tmux_tool") extData.handler = drawTerminal;
}

function drawTerminal(args) {
  const { id, heading, content, kvps } = args;
  const text = String(content ?? "");
  const open = async () =>
    (await import("/plugins/tmux_tool/webui/host.js")).openTerminal(kvps?.pane ?? "");
  const headerLabels = [{ label: "tmux_tool", class: "tool-name-badge" }];
  const actionButtons = [createActionButton("terminal", "Open the terminal", open)];
  if (text.trim())
    actionButtons.push(
      createActionButton("detail", "", () =>
        stepDetailStore.showStepDetail(buildDetailPayload(args, { headerLabels })),
      ),
      createActionButton("copy", "", () => copyToClipboard(text)),
    );
  const drawn = drawProcessStep({
    id,
    title: cleanStepTitle(heading),
    code: "TTY",
    classes: undefined,
    kvps: { ...kvps },
    content,
    contentClasses: ["terminal-output"],
    actionButtons: actionButtons.filter(Boolean),
    log: args,
  });
  // While the agent waits for the person's answer, what the step before has called out holds.
  const waits = String(kvps?.person) === "true" && !String(heading).includes(" -> ");
  if (!waits) callOut(drawn?.step, ASKED[/^needs (\w+) after /.exec(text)?.[1]], open);
  return drawn;
}

// A line below the step's title, while its answer is the last one and says that something is asked.
function callOut(step, asked, open) {
  const before = (line) =>
    step.contains(line) || line.compareDocumentPosition(step) & Node.DOCUMENT_POSITION_FOLLOWING;
  if (!step) return;
  for (const line of document.querySelectorAll(".tmux-callout")) if (before(line)) line.remove();
  if (!asked) return;
  const link = Object.assign(document.createElement("a"), {
    href: "#",
    textContent: "Answer in the terminal",
  });
  link.onclick = (event) => {
    event.preventDefault();
    event.stopPropagation();
    open();
  };
  const line = Object.assign(document.createElement("div"), { className: "tmux-callout" });
  line.style.cssText = "padding: 4px 12px 6px 28px; font-size: 0.8rem";
  line.append(`${asked} `, link);
  step.querySelector(".process-step-header").after(line);
}
