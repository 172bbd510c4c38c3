const python =
  'it runs Python code, which is not supported. The code can be rewritten in a JavaScript Function (JavaScriptFunction).';
const writtenByModel =
  'it runs Python code written by a model, which is not supported. A JavaScript Function (JavaScriptFunction) or Operations (DataOperations, DataFrameOperations) can do such work.';
const gmail =
  'it signs in to Google with a user token, which is not supported. Gmail through Composio (ComposioGmailAPIComponent) reads mail.';
const drive =
  'it signs in to Google with a user token, which is not supported. Read File (File) reads uploaded files, API Request (APIRequest) reads files that have a URL.';
const vertexAi =
  'it signs in to Vertex AI with a credentials file, which is not supported. Google Generative AI (GoogleGenerativeAIModel) calls the same models with an API key.';

/** Langflow components that are deliberately unsupported: the reason and the replacement, as the end of a sentence. */
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
  ['OpenDsStarAgent', `${writtenByModel} An Agent (Agent) calls its tools without it.`],
  [
    'FileContentRetriever',
    'it reads any path of the host that a model names, which no run is allowed to do. Read File (File) gives an agent the files of the flow.',
  ],
  ['TimeProvider', 'it is not a Langflow component. Current Date (CurrentDate) returns the time.'],
  [
    'ZohoMCP',
    "it is not a Langflow component. MCP Tools (MCPTools) uses the tools of Zoho's MCP server, or of any other.",
  ],
  ['MCPServer', 'it is not a Langflow component. MCP Tools (MCPTools) uses the tools of an MCP server.'],
  [
    'NotDiamond',
    'routing by Not Diamond is not supported. A Smart Router (SmartRouter) lets a model choose the route.',
  ],
  ['GmailLoaderComponent', gmail],
  ['GmailLoader', gmail],
  ['GoogleDriveComponent', drive],
  ['VertexAiModel', vertexAi],
  ['ChatVertexAI', vertexAi],
]);
