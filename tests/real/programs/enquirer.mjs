import enquirer from 'enquirer';
const { prompt } = enquirer;
const a = await prompt([
  {type: 'input', name: 'name', message: 'What is your name?'},
  {type: 'select', name: 'colour', message: 'Pick a colour', choices: ['red', 'green', 'blue']},
  {type: 'confirm', name: 'ok', message: 'Really continue?'},
  {type: 'password', name: 'secret', message: 'Secret word'},
]);
console.log(a.name, a.colour, a.ok, a.secret.length);
