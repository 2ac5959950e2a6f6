export function drawMessageToolSimple({ id, heading, content, code }) {
  let step = document.getElementById(id);
  if (!step) {
    step = Object.assign(document.createElement('div'), { id, className: 'process-step' });
    step.innerHTML = '<div class="process-step-header"></div><p></p><div class="step-detail-actions step-action-buttons"></div>';
    document.querySelector('#chat-history').append(step);
  }
  step.dataset.stepCode = code;
  step.querySelector('.process-step-header').textContent = heading;
  step.querySelector('p').textContent = content;
  step.querySelector('.step-detail-actions').replaceChildren();
  return { step, content: content ? step.querySelector('p') : undefined };
}
