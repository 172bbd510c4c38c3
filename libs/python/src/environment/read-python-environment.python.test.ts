import { dirname } from 'node:path';
import { workerFolder } from '../testing/test-pool.fixture';
import { testPython } from '../testing/test-python.fixture';
import { readPythonEnvironment } from './read-python-environment';
import type { InstalledEnvironment } from './python-environment';

let environment: InstalledEnvironment;
beforeAll(async () => {
  const found = await readPythonEnvironment(dirname(dirname(testPython())), { workerFolder });
  if ('reason' in found) throw new Error(found.reason);
  environment = found;
});

test.each([
  ['a type that is the name of its class', 'ChatInput', 'lfx.components.input_output.chat.ChatInput'],
  [
    'a type that its class names',
    'Smart Transform',
    'lfx.components.llm_operations.lambda_filter.LambdaFilterComponent',
  ],
  [
    'the name of a class with another type',
    'LambdaFilterComponent',
    'lfx.components.llm_operations.lambda_filter.LambdaFilterComponent',
  ],
  ['a type that Langflow has renamed', 'Prompt', 'lfx.components.models_and_agents.prompt.PromptComponent'],
  [
    'a type of old flows that is not in the index of lfx',
    'CodeBlockExtractor',
    'lfx.components.deactivated.code_block_extractor.CodeBlockExtractor',
  ],
  [
    'a type with a retired and a newer class',
    'SplitText',
    'lfx.components.processing.split_text.SplitTextComponent',
  ],
])('%s has the path of its class', (_, type, path) => {
  expect(environment.components.get(type)).toBe(path);
});

test('modules are those of the standard library and of installed packages', () => {
  for (const name of ['json', 'numpy', 'lfx', 'yaml', 'PIL']) expect(environment.modules).toContain(name);
  for (const name of ['duckdb', 'millrace_worker', 'stock_components'])
    expect(environment.modules).not.toContain(name);
});
