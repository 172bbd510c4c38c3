import { CommanderError } from 'commander';
import { CliError } from './cli-error';
import { MillraceError } from './client/millrace-error';
import { exitCodes } from './exit-codes';
import { millraceProgram } from './program';
import { withHelpOption } from './terminal/help-option';
import type { Shell } from './terminal/shell';

/** Runs a command line, the words after `millrace`; resolves to the exit code. */
export async function runCli(words: readonly string[], shell: Shell): Promise<number> {
  let exitCode: number = exitCodes.success;
  const program = millraceProgram({ shell, end: (code) => void (exitCode = code) });
  try {
    if (words.length === 0) {
      shell.stdout.write(program.helpInformation());
      return exitCodes.usage;
    }
    await program.parseAsync(withHelpOption(program, words), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    if (shell.signal.aborted) {
      shell.stderr.write('Interrupted.\n');
      return exitCodes.interrupted;
    }
    if (error instanceof CliError) {
      shell.stderr.write(`${error.message}\n`);
      return error.exitCode;
    }
    if (error instanceof MillraceError) {
      shell.stderr.write(`${error.message}\n`);
      return exitCodes[error.reason];
    }
    shell.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.internal;
  }
}
