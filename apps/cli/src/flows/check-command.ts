import { pythonModeWithOption } from '@millrace/service';
import type { Environment } from '@millrace/service';
import { option } from '../terminal/add-command';
import type { CommandDescription } from '../terminal/add-command';
import { exitCodes } from '../exit-codes';
import { FlowChecker } from './flow-checker';
import type { CheckedFlow } from './flow-checker';

/** Returns the command `flows check`, which needs no server. */
export function flowCheckCommand(filesOf: (paths: readonly string[]) => string[]): CommandDescription {
  return {
    name: 'check',
    summary: 'Report how each vertex of these flows runs, without a server',
    details:
      'Looks for keys in the environment only. Exits with 0 when every flow is runnable or approximated, else with 1.',
    arguments: [{ name: '<path...>', description: 'flow files, and folders of them' }],
    options: [
      option(
        '--python',
        'report as `millrace up --python` runs; without it, vertices that need Python are reported as such',
      ),
      option('--folder <path>', 'the Python environment for --python; default .millrace/python'),
    ],
    usesServer: false,
    examples: ['millrace flows check my-flow.json', 'millrace flows check ./flows --python --json'],
    async run({ output, arguments: paths, options, text, shell: { environment } }) {
      const checker = await FlowChecker.open({
        pythonMode: options['python'] === true ? pythonModeOf(environment) : 'off',
        folder: text('folder') ?? environment['MILLRACE_PYTHON_ENVIRONMENT'],
        hasVariable: (name) => (environment[name] ?? '') !== '',
      });
      const checked = filesOf(paths).flatMap((file) =>
        checker.checkFile(file).map((flow) => ({ file, ...flow })),
      );
      output.result(checked, () => {
        for (const { file, ...flow } of checked) printFlow((line) => output.line(line), file, flow);
        if (checked.length > 1) output.line(summary(checked));
      });
      const fine: readonly string[] = ['runnable', 'approximated'];
      return checked.every(({ verdict }) => fine.includes(verdict)) ? exitCodes.success : exitCodes.negative;
    },
  };
}

/** The mode of a server that `millrace up --python` starts with this environment. */
function pythonModeOf({ MILLRACE_PYTHON: mode, HOST: host = '127.0.0.1' }: Environment): 'approved' | 'all' {
  return pythonModeWithOption(mode === 'approved' || mode === 'all' ? mode : 'off', host);
}

function printFlow(
  print: (line: string) => void,
  file: string,
  { verdict, vertices, name, ignored = [], error }: CheckedFlow,
): void {
  print(
    `${file}${name === undefined ? '' : ` "${name}"`}: ${verdict}${error === undefined ? '' : ` (${error})`}`,
  );
  for (const { id, type, status, reason } of vertices)
    print(`  ${status.padEnd(17)} ${id} (${type})${reason === null ? '' : `: ${reason}`}`);
  for (const message of ignored) print(`  ${message}`);
}

function summary(checked: readonly CheckedFlow[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of checked) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const parts = [...counts].map(([verdict, count]) => `${count} ${verdict}`);
  return `${checked.length} flows: ${parts.join(', ')}`;
}
