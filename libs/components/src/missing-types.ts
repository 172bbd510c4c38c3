const python =
  'it runs Python, which is not run here. What it does can be written in a JavaScript Function (JavaScriptFunction).';
const writtenByModel =
  'it runs Python that a model has written, which is not run here. A JavaScript Function (JavaScriptFunction) or Operations (DataOperations, DataFrameOperations) can do such work.';
const person =
  'a run does not wait for a person. Let an If-Else (ConditionalRouter) decide, or end the run there and start another with the answer.';

/** Components of Langflow that there are none of on purpose: why, and what to use instead, as the end of a sentence. */
export const missingTypes: ReadonlyMap<string, string> = new Map([
  ['CustomComponent', python],
  ['PythonREPLComponent', python],
  ['PythonREPLTool', python],
  ['PythonREPLToolComponent', python],
  ['PythonCodeStructuredTool', python],
  ['PythonFunction', python],
  ['LambdaFilter', writtenByModel],
  ['Smart Function', writtenByModel],
  ['Smart Transform', writtenByModel],
  ['HumanInput', person],
]);
