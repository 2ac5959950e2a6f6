export function createActionButton(icon, text, handler) {
  return Object.assign(document.createElement('button'), { className: `action-button action-${icon}`, onclick: handler });
}
