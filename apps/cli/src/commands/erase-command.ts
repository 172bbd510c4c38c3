import type { Command } from 'commander';
import { CliError } from '../cli-error';
import { exitCodes } from '../exit-codes';
import { readSecret } from '../terminal/read-secret';
import { addCommand, option } from '../terminal/add-command';
import type { CommandCall, CommandHost } from '../terminal/add-command';

/** Adds `erase`. */
export function addEraseCommand(program: Command, host: CommandHost): void {
  addCommand(program, host, {
    name: 'erase',
    summary: 'Delete the messages and runs of a session or of an end user',
    details: `Works on the flows of the user of the key. The sessions of an end user are those whose ids are <end user>::<session>.
Runs that have not ended stay: the command then ends with 1, and can be called again. docs/operate/erasure.md says what else there is.`,
    options: [
      option('--session <id>', 'id of the session'),
      option('--end-user <id>', 'the end user, in front of :: in ids of sessions'),
      option('--yes', 'do not ask'),
    ],
    examples: ['millrace erase --end-user ann@example.com --yes'],
    run: runErase,
  });
}

async function runErase({ api, output, options, shell, text, now }: CommandCall): Promise<number> {
  const [session, endUser] = [text('session'), text('endUser')];
  if (!session === !endUser) throw new CliError('usage', 'Name either --session or --end-user.');
  const what = session ? `the session ${session}` : `all sessions of ${endUser ?? ''}`;
  const isAllowed =
    options['yes'] === true || (await readSecret(shell, `Erase ${what}? Type yes: `)) === 'yes';
  if (!isAllowed) throw new CliError('usage', 'Nothing was changed.');
  const client = api();
  const progress = output.progress(now);
  const sum = { messages: 0, runs: 0 };
  for (;;) {
    const erased = await client.call('POST /api/v1/erasures', {
      body: session ? { session_id: session } : { end_user_id: endUser ?? '' },
    });
    sum.messages += erased.messages;
    sum.runs += erased.runs;
    progress.show(`${sum.messages} messages, ${sum.runs} runs`);
    // Without a deletion, what is left are runs that have not ended.
    if (!erased.complete && erased.messages + erased.runs > 0) continue;
    progress.end();
    const { complete, runs_in_progress: inProgress } = erased;
    output.result({ messages: sum.messages, runs: sum.runs, runs_in_progress: inProgress, complete }, () => {
      output.line(`${sum.messages} messages and ${sum.runs} runs of ${what} deleted`);
      if (!complete) output.line(`${inProgress} runs have not ended: cancel them, or call this again later.`);
    });
    return complete ? exitCodes.success : exitCodes.negative;
  }
}
