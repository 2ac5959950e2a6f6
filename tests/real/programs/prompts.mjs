import prompts from 'prompts';
const a = await prompts([
  {type: 'text', name: 'name', message: 'Project directory'},
  {type: 'number', name: 'port', message: 'Which port?', initial: 80},
  {type: 'toggle', name: 'ok', message: 'Add tests?', active: 'yes', inactive: 'no'},
  {type: 'select', name: 'colour', message: 'Pick a colour', choices: [{title: 'red', value: 'r'}, {title: 'green', value: 'g'}]},
  {type: 'password', name: 'secret', message: 'Secret word'},
]);
console.log(a.name, a.port, a.ok, a.colour, a.secret.length);
