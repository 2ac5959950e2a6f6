export function createActionButton(icon, text, handler) {
  return Object.assign(document.createElement('button'), { className: `action-${icon}`, onclick: handler });
}
