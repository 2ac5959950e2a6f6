// One question of one prompt library: node ask.mjs LIBRARY KIND
const [library, kind] = process.argv.slice(2);
const colours = ['red', 'green', 'blue'];
const long = 'Which of the many possible names do you want to give to it?';
const notEmpty = (value) => (value ? true : 'Please say something');
const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

const asks = {
  async prompts() {
    const { default: prompts } = await import('prompts');
    const choices = colours.map((title) => ({ title, value: title }));
    const forms = {
      text: { type: 'text', message: 'What is your name?', validate: notEmpty },
      long: { type: 'text', message: long },
      initial: { type: 'text', message: 'Project name', initial: 'my-app' },
      password: { type: 'password', message: 'Secret word' },
      invisible: { type: 'invisible', message: 'Secret word' },
      number: { type: 'number', message: 'How old are you?', min: 3 },
      confirm: { type: 'confirm', message: 'Shall we go on?' },
      toggle: { type: 'toggle', message: 'Use it?', active: 'yes', inactive: 'no' },
      list: { type: 'list', message: 'Keywords' },
      select: { type: 'select', message: 'Pick a colour', choices },
      multiselect: { type: 'multiselect', message: 'Pick colours', choices },
      autocomplete: { type: 'autocomplete', message: 'Find a colour', choices },
      date: { type: 'date', message: 'When is it?', initial: new Date(2024, 0, 2, 3, 4, 5) },
    };
    return prompts({ name: 'value', ...forms[kind] });
  },
  async enquirer() {
    const { default: enquirer } = await import('enquirer');
    const forms = {
      input: { type: 'input', message: 'What is your name?', validate: notEmpty },
      initial: { type: 'input', message: 'Project name', initial: 'my-app' },
      password: { type: 'password', message: 'Secret word' },
      invisible: { type: 'invisible', message: 'Secret word' },
      numeral: { type: 'numeral', message: 'How old are you?' },
      confirm: { type: 'confirm', message: 'Shall we go on?' },
      toggle: { type: 'toggle', message: 'Use it?', enabled: 'Yes', disabled: 'No' },
      list: { type: 'list', message: 'Keywords' },
      select: { type: 'select', message: 'Pick a colour', choices: colours },
      multiselect: { type: 'multiselect', message: 'Pick colours', choices: colours },
      autocomplete: { type: 'autocomplete', message: 'Find a colour', choices: colours },
      form: {
        type: 'form',
        message: 'About you',
        choices: [
          { name: 'first', message: 'First name' },
          { name: 'last', message: 'Last name' },
        ],
      },
    };
    return enquirer.prompt({ name: 'value', ...forms[kind] });
  },
  async inquirer() {
    const { default: inquirer } = await import('inquirer');
    const forms = {
      input: { type: 'input', message: 'What is your name?', validate: notEmpty },
      long: { type: 'input', message: long },
      password: { type: 'password', message: 'Secret word', mask: '*' },
      confirm: { type: 'confirm', message: 'Shall we go on?' },
      select: { type: 'select', message: 'Pick a colour', choices: colours },
      checkbox: { type: 'checkbox', message: 'Pick colours', choices: colours },
    };
    return inquirer.prompt([{ name: 'value', ...forms[kind] }]);
  },
  async inquirer2() {
    const inquirer = await import('@inquirer/prompts');
    const choices = colours.map((value) => ({ name: value, value, key: value[0] }));
    const forms = {
      input: () => inquirer.input({ message: 'Project name', default: 'my-app' }),
      number: () => inquirer.number({ message: 'How old are you?' }),
      password: () => inquirer.password({ message: 'Secret word', mask: true }),
      silent: () => inquirer.password({ message: 'Secret word' }),
      confirm: () => inquirer.confirm({ message: 'Shall we go on?' }),
      select: () => inquirer.select({ message: 'Pick a colour', choices }),
      checkbox: () => inquirer.checkbox({ message: 'Pick colours', choices }),
      rawlist: () => inquirer.rawlist({ message: 'Pick a colour', choices }),
      expand: () => inquirer.expand({ message: 'Pick a colour', choices }),
      editor: () => inquirer.editor({ message: 'Tell a story' }),
      search: () =>
        inquirer.search({
          message: 'Find a colour',
          source: (term) => choices.filter((choice) => choice.name.includes(term ?? '')),
        }),
    };
    return forms[kind]();
  },
  async clack() {
    const clack = await import('@clack/prompts');
    const options = colours.map((value) => ({ label: value, value }));
    clack.intro('create-thing');
    const forms = {
      text: () =>
        clack.text({
          message: 'What is your name?',
          validate: (value) => (value ? undefined : 'Please say something'),
        }),
      long: () => clack.text({ message: long }),
      placeholder: () => clack.text({ message: 'Project name', placeholder: './my-app' }),
      initial: () => clack.text({ message: 'Project name', initialValue: 'my-app' }),
      password: () => clack.password({ message: 'Secret word' }),
      confirm: () => clack.confirm({ message: 'Shall we go on?' }),
      select: () => clack.select({ message: 'Pick a colour', options }),
      multiselect: () => clack.multiselect({ message: 'Pick colours', options }),
      autocomplete: () => clack.autocomplete({ message: 'Find a colour', options }),
      multiline: () => clack.multiline({ message: 'Tell a story' }),
      spinner: async () => {
        const spinner = clack.spinner();
        spinner.start('Installing packages');
        await pause(4);
        spinner.stop('Installed');
      },
    };
    return forms[kind]();
  },
  async readline() {
    const { createInterface } = await import('node:readline/promises');
    const line = createInterface({ input: process.stdin, output: process.stdout });
    const texts = {
      npm: 'Need to install the following packages:\ncowsay@1.6.0\nOk to proceed? (y) ',
      plain: 'What is your name? ',
      long: long + ' ',
      angle: 'Value> ',
    };
    const answer = await line.question(texts[kind]);
    line.close();
    return answer;
  },
  async key() {
    process.stdout.write('Press any key to continue...');
    process.stdin.setRawMode(true);
    await new Promise((done) => process.stdin.once('data', done));
    process.stdin.setRawMode(false);
    process.stdin.pause();
  },
};

console.log(JSON.stringify(await asks[library]()));
