import prompts from 'prompts';
const a = await prompts([
  {type: 'confirm', name: 'one', message: 'Install dependencies?'},
  {type: 'confirm', name: 'two', message: 'Overwrite files?', initial: true},
]);
console.log(a.one, a.two);
