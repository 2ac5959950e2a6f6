// questions.mjs: a menu and a question as node's installers ask them, in raw mode.
import readline from 'node:readline';

const choices = ['sqlite', 'postgres'];

function menu(question) {
    return new Promise((done) => {
        let chosen = 0;
        const draw = () => {
            const rows = choices.map((choice, i) => `${i === chosen ? '❯' : ' '} ${choice}`);
            process.stdout.write(`? ${question}\n${rows.join('\n')}`);
        };
        const press = (_, key) => {
            if (key.name === 'down') chosen = Math.min(chosen + 1, choices.length - 1);
            process.stdout.write('\x1b[2A\r\x1b[J');
            if (key.name !== 'return') return draw();
            process.stdin.off('keypress', press).setRawMode(false);
            process.stdout.write(`✔ ${question} ${choices[chosen]}\n`);
            done();
        };
        readline.emitKeypressEvents(process.stdin);
        process.stdin.setRawMode(true).on('keypress', press);
        draw();
    });
}

await menu('Which database?');
const lines = readline.createInterface({input: process.stdin, output: process.stdout});
lines.question('Ok to proceed? (y) ', () => lines.close());
