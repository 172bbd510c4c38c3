const python =
  'it runs Python, which is not run here. What it does can be written in a JavaScript Function (JavaScriptFunction).';
const writtenByModel =
  'it runs Python that a model has written, which is not run here. A JavaScript Function (JavaScriptFunction) or Operations (DataOperations, DataFrameOperations) can do such work.';
const person =
  'a run does not wait for a person. Let an If-Else (ConditionalRouter) decide, or end the run there and start another with the answer.';
const gmail =
  'it signs in to Google with the token of a user, which is not done here. Gmail through Composio (ComposioGmailAPIComponent) reads mail.';
const drive =
  'it signs in to Google with the token of a user, which is not done here. Read File (File) takes files that are uploaded, API Request (APIRequest) such as have an address.';
const vertexAi =
  'it signs in to Vertex AI with a file of credentials, which is not done here. Google Generative AI (GoogleGenerativeAIModel) asks the same models with a key.';

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
  ['OpenDsStarAgent', `${writtenByModel} An Agent (Agent) calls its tools without it.`],
  [
    'FileContentRetriever',
    'it reads files of the machine by any path that a model names, which no run may. Read File (File) gives an agent the files of the flow.',
  ],
  [
    'Redis',
    'there are no vectors in Redis here. Redis Chat Memory (RedisChatMemory) keeps conversations there.',
  ],
  ['TimeProvider', 'it is no component of Langflow. Current Date (CurrentDate) tells the time.'],
  [
    'ZohoMCP',
    "it is no component of Langflow. MCP Tools (MCPTools) takes the tools of Zoho's MCP server, or of any other.",
  ],
  ['MCPServer', 'it is no component of Langflow. MCP Tools (MCPTools) takes the tools of an MCP server.'],
  [
    'NotDiamond',
    'there is no router that asks Not Diamond. A Smart Router (SmartRouter) lets a model choose the way.',
  ],
  [
    'OpenAI',
    'it is a component of before 1.0. Today\'s OpenAI (OpenAIModel) has the input "Input" for what is asked.',
  ],
  [
    'LLMChain',
    'it is a component of before 1.0. A Language Model (LanguageModelComponent) takes a prompt itself.',
  ],
  ['GmailLoaderComponent', gmail],
  ['GmailLoader', gmail],
  ['GoogleDriveComponent', drive],
  ['VertexAiModel', vertexAi],
  ['ChatVertexAI', vertexAi],
]);
