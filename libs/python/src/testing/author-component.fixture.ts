import type { TestVertex } from './python-flow.fixture';

const imports = `
from langflow.custom import Component
from langflow.io import HandleInput, MessageTextInput, Output
from langflow.schema import Data, DataFrame
from langflow.schema.message import Message
`;
/** A vertex that collects the value of an output. */
export const show = (output: string, id = 'Show-1'): TestVertex => ({ id, from: { value: output } });
/** Returns the text of a component with these inputs, outputs and methods. */
export const component = (inputs: string, outputs: string, body: string): string =>
  `${imports}\nclass Mine(Component):\n    inputs = [${inputs}]\n    outputs = [${outputs}]\n${body.replace(/^/gm, '    ')}\n`;
/** The only output of most components, and how a file has it. */
export const one = 'Output(name="result", display_name="Result", method="run_it")';
export const valueInput = 'HandleInput(name="value", input_types=["Data"])';
export const saved = [{ name: 'result', display_name: 'Result', method: 'run_it', types: [], cache: true }];
