import { ApplyError, applyPlan, planFolder, readFolder } from '@millrace/gateway';
import type { Plan } from '@millrace/gateway';
import type { Command } from 'commander';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { readSecret } from '../terminal/read-secret';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

/** Adds `apply`. */
export function addApplyCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'apply',
    summary: 'Give a user the flows, variables and triggers of a folder',
    details: `Reads millrace.yaml and the export files in flows/, or the export files of a folder without millrace.yaml.
Prints the plan, makes the changes and is done when nothing differs. Without --prune, nothing is deleted.
With --dry-run, exits with 1 when something differs.`,
    arguments: [{ name: '<folder>', description: 'folder with millrace.yaml or export files' }],
    options: [
      option('--dry-run', 'print the plan and change nothing'),
      option('--prune', 'delete the flows, variables and triggers of the user that the folder does not name'),
      option('--yes', 'do not ask before something is deleted'),
    ],
    examples: ['millrace apply ./installation --dry-run', 'millrace apply ./installation --prune --yes'],
    run: runApply,
  });
}

async function runApply(call: CommandCall): Promise<number> {
  const {
    output,
    options,
    shell,
    arguments: [folder = ''],
  } = call;
  const isDryRun = options['dryRun'] === true;
  const api = call.api();
  try {
    const wanted = readFolder(folder, shell.environment);
    const plan = await planFolder(api, wanted, { prune: options['prune'] === true });
    if (!output.json) printPlan(call, plan);
    const isAllowed = isDryRun || (await confirmed(call, plan));
    if (!isAllowed) throw new CliError('usage', 'Nothing was changed.');
    if (!isDryRun) await applyPlan(api, plan);
    const changes = plan.changes.map(({ kind, name, action, places }) => ({ kind, name, action, places }));
    output.result({ dry_run: isDryRun, changes, unchanged: plan.unchanged }, () =>
      output.line(`${changes.length} ${isDryRun ? 'to change' : 'changed'}, ${plan.unchanged} unchanged`),
    );
    return isDryRun && changes.length > 0 ? exitCodes.negative : exitCodes.success;
  } catch (error) {
    throw error instanceof ApplyError ? new CliError('input', error.message, error) : error;
  }
}

function printPlan({ output }: CommandCall, { changes }: Plan): void {
  for (const { kind, name, action, places } of changes) {
    output.line(`${action.padEnd(6)} ${kind} ${name}`);
    for (const place of places) output.line(`       ${place}`);
  }
}

/** Deletions are confirmed: by --yes, or by an answer. */
async function confirmed({ options, shell }: CommandCall, { changes }: Plan): Promise<boolean> {
  const count = changes.filter(({ action }) => action === 'delete').length;
  if (count === 0 || options['yes'] === true) return true;
  return (await readSecret(shell, `Delete ${count} records? Type yes: `)) === 'yes';
}
