import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');

/** Commands that no test of one process on one machine can run, or should: the text that a line contains, and why. */
const elsewhere: readonly (readonly [text: string, reason: string])[] = [
  ['git clone ', 'the address of the repository is a placeholder'],
  ['npm start  ', 'it serves until it is stopped; the tests of the first start run it'],
  ['MILLRACE_OUTGOING_ALLOW=127.0.0.1/32 npm start', 'it serves until it is stopped'],
  ['npm start -- --python', 'it serves until it is stopped'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'it serves until it is stopped'],
  ['dist/apps/model-server/main.cjs', 'it serves until it is stopped; the model server runs in this process'],
  ['http://127.0.0.1:7870', 'it calls the model server of the line before'],
  ['dist/apps/executor/main.cjs', 'it serves until it is stopped, and needs Python'],
  ['millrace up', 'it serves until it is stopped'],
  ['npm run scaled', 'it serves until it is stopped, and needs three servers'],
  ['npm run build', 'it would build what other tests run'],
  ['npm test', 'it would start the tests in a test'],
  ['npm run test:full', 'it would start the tests in a test'],
  ['npx jest', 'it would start the tests in a test'],
  ['nx affected', 'it would start the tests in a test'],
  ['nx release plan', 'it writes to the checkout'],
  ['npm run check', 'it takes many minutes'],
  ['npm run chaos', 'it takes minutes, and needs three servers'],
  ['npm run bench', 'it takes minutes, and needs three servers'],
  ['tools/node/run.cjs bench/', 'it takes minutes, and needs three servers'],
  ['python-environment', 'it installs packages of Python'],
  ['npm run differential', 'it installs Langflow'],
  ['uv pip compile', 'it needs uv'],
  ['docker ', 'it needs Docker'],
  ['apt-get ', 'it installs packages of the machine'],
  ['systemctl ', 'it needs systemd'],
  ['promtool ', 'it needs Prometheus; another test checks the rules'],
  ['/etc/', 'it writes to the machine'],
  ['/opt/millrace', 'it writes to the machine'],
  [':9090/api/v1/query', 'it needs Prometheus'],
  ['runuser ', 'it needs users of the machine'],
  ['useradd ', 'it needs users of the machine'],
  ['rabbitmqctl ', 'it needs RabbitMQ'],
  ['postgres://…', 'it needs PostgreSQL, by an address that the page leaves out'],
  ['--contains 42:', 'it needs the export of an audit log with this entry'],
  ['millrace backup', 'it needs a stopped server; the tests of backups run it'],
  ['millrace restore', 'it needs a backup; the tests of backups run it'],
  ['millrace secrets', 'it needs the database of a stopped server; its own tests run it'],
  ['npm install ', 'it installs packages'],
  ['node examples/bridges/', 'it needs another broker; the tests of bridges run it'],
  ['~/.langflow/', 'it needs a Langflow; the tests of migrations run it'],
  ['LANGFLOW_DATABASE_URL', 'it needs a Langflow; the tests of migrations run it'],
  ['millrace compare', 'it needs a Langflow'],
  ['millrace doctor', 'it examines a stopped installation; its own tests run it'],
  ['author-code/$SHA256', 'it needs the text of an author'],
  ['feeds.bbci.co.uk', 'it reads the Internet; the tests of the examples run it with a feed of their own'],
];

/** Commands that end with 1 when they have printed what they found. */
const findsDifferences = ['millrace apply ./installation --dry-run'];

export interface PageCommands {
  readonly page: string;
  readonly line: number;
  /** What can run here, as a script of `sh`; empty when nothing can. */
  readonly script: string;
}

/** Returns the blocks of commands of all pages of the repository, without the lines that run elsewhere. */
export function pageCommands(): {
  readonly blocks: readonly PageCommands[];
  readonly unused: readonly string[];
} {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const used = new Set<string>();
  const blocks = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => {
      const kept = commandsOf(code).filter((command) => {
        const found = elsewhere.filter(([part]) => command.includes(part));
        for (const [part] of found) used.add(part);
        return found.length === 0;
      });
      const script = kept.map((command) =>
        findsDifferences.some((beginning) => command.startsWith(beginning))
          ? `${command.replace(/ #.*/, '')} || test $? = 1`
          : command,
      );
      return { page, line: text.slice(0, index).split('\n').length, script: script.join('\n') };
    });
  });
  return { blocks, unused: elsewhere.map(([text]) => text).filter((text) => !used.has(text)) };
}

/** Divides a block into commands: a command ends where a line ends outside of quotes and without a backslash or pipe. */
function commandsOf(code: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of code.split('\n')) {
    open += open === '' ? line : `\n${line}`;
    const document = /<<'?(\w+)'?/.exec(open)?.[1];
    if (document !== undefined && !new RegExp(`^${document}$`, 'm').test(open)) continue;
    const outside = open.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/gs, '').replaceAll(/#.*$/gm, '');
    if (document === undefined && /['"]|[\\|]\s*$/.test(outside)) continue;
    if (outside.trim() !== '') commands.push(open);
    open = '';
  }
  return open.trim() === '' ? commands : [...commands, open];
}
