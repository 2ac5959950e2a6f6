export const buildDetailPayload = (args) => args, cleanStepTitle = (title) => title;
export function drawProcessStep({ id, title, actionButtons }) {
  let step = document.getElementById(id);
  if (!step) {
    step = Object.assign(document.createElement('div'), { id, className: 'process-step' });
    step.innerHTML = '<div class="process-step-header"></div><div class="actions"></div>';
    document.querySelector('#chat-history').append(step);
  }
  step.querySelector('.process-step-header').textContent = title;
  step.querySelector('.actions').replaceChildren(...actionButtons);
  return { step };
}
