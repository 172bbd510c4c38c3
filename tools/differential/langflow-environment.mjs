import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from '../services/find-python.mjs';
import { findProgram } from '../services/find-program.mjs';
import { runCommand } from '../services/run-command.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const LANGFLOW_VERSION = '1.13.0';
/** The bundles with native components here, as they were published with that version. */
const bundles = [
  'lfx-anthropic==0.2.0',
  'lfx-arxiv==0.2.0',
  'lfx-bundles==1.2.4',
  'lfx-cohere==0.2.0',
  'lfx-duckduckgo==0.2.0',
  'lfx-google==0.3.5',
  'lfx-ollama==0.2.0',
  'lfx-openai==0.2.0',
];
const VERSION = /^\d+\.\d+[\w.]*$/;
const INSTALL_DEADLINE_MILLISECONDS = 30 * 60_000;

/**
 * Returns the folder of a Python environment with Langflow: the given one, or that of a version in the workspace, which is
 * made when it is missing. Versions other than that of this server get the newest bundles that go with them.
 * @param {string | undefined} given a folder or a version
 */
export async function langflowEnvironment(given) {
  const version = given ?? LANGFLOW_VERSION;
  if (!VERSION.test(version)) return version;
  const folder = join(workspaceRoot, '.millrace', `langflow-${version}`);
  const done = join(folder, 'bin', 'langflow');
  if (existsSync(done)) return folder;
  console.log(`Installing Langflow ${version} in ${folder}`);
  const isOurs = version === LANGFLOW_VERSION;
  const packages = [
    `langflow-base==${version}`,
    `lfx==${version}`,
    ...bundles.map((bundle) => (isOurs ? bundle : bundle.split('==')[0])),
  ];
  const python = await findPython();
  const options = { deadlineMilliseconds: INSTALL_DEADLINE_MILLISECONDS };
  const uv = findProgram('uv');
  if (uv === undefined) await runCommand(python.path, ['-m', 'venv', folder], options);
  else await runCommand(uv, ['venv', '--quiet', '--python', python.path, folder], options);
  await installPackages(folder, packages);
  return folder;
}

/**
 * Installs packages from PyPI in a Python environment, with uv where it is installed.
 * @param {string} folder
 * @param {readonly string[]} names
 */
export async function installPackages(folder, names) {
  const uv = findProgram('uv');
  const interpreter = join(folder, 'bin', 'python');
  const options = { deadlineMilliseconds: INSTALL_DEADLINE_MILLISECONDS };
  if (uv !== undefined) {
    await runCommand(uv, ['pip', 'install', '--quiet', '--python', interpreter, ...names], options);
    return;
  }
  // Installs in a minute what takes pip half an hour.
  await runCommand(interpreter, ['-m', 'pip', 'install', '--quiet', 'uv'], options);
  const words = ['-m', 'uv', 'pip', 'install', '--quiet', '--python', interpreter, ...names];
  await runCommand(interpreter, words, options);
}

/**
 * Returns the folder of an environment with the tokens of OpenAI's models, under the names by which tiktoken looks for them.
 * @param {string} environment
 */
export function tokenizersOf(environment) {
  const [python = 'python3'] = readdirSync(join(environment, 'lib')).filter((name) =>
    name.startsWith('python'),
  );
  return join(environment, 'lib', python, 'site-packages', 'litellm', 'litellm_core_utils', 'tokenizers');
}
