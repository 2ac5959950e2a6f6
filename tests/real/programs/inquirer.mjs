import inquirer from 'inquirer';
const a = await inquirer.prompt([
  {type: 'input', name: 'name', message: 'What is your name?', default: 'anonymous'},
  {type: 'confirm', name: 'ok', message: 'Use TypeScript?'},
  {type: 'select', name: 'colour', message: 'Which colour?', choices: ['red', 'green', 'blue']},
  {type: 'checkbox', name: 'parts', message: 'Which parts?', choices: ['door', 'roof', 'wall']},
  {type: 'password', name: 'secret', message: 'Secret word', mask: '*'},
]);
console.log(JSON.stringify(a.name), a.ok, a.colour, a.parts.join('+'), a.secret.length);
