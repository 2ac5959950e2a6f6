import { createActionButton, copyToClipboard } from "/components/messages/action-buttons/simple-action-buttons.js";
import { store as stepDetailStore } from "/components/modals/process-step-detail/step-detail-store.js";
import { buildDetailPayload, cleanStepTitle, drawProcessStep } from "/js/messages.js";

// A terminal's text is drawn with fixed width; the host does that for its own code execution only.
export default async function registerTmuxToolHandler(extData) {
  if (extData?.tool_name === "tmux_tool") extData.handler = drawTerminal;
}

function drawTerminal(args) {
  const { id, heading, content, kvps } = args;
  const text = String(content ?? "");
  const headerLabels = [{ label: "tmux_tool", class: "tool-name-badge" }];
  const actionButtons = text.trim()
    ? [
        createActionButton("detail", "", () =>
          stepDetailStore.showStepDetail(buildDetailPayload(args, { headerLabels })),
        ),
        createActionButton("copy", "", () => copyToClipboard(text)),
      ].filter(Boolean)
    : [];
  return drawProcessStep({
    id,
    title: cleanStepTitle(heading),
    code: "TTY",
    classes: undefined,
    kvps: { ...kvps },
    content,
    contentClasses: ["terminal-output"],
    actionButtons,
    log: args,
  });
}
