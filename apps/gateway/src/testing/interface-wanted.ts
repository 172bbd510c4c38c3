/** Where this interface differs from what Langflow's document promises: a pattern of lines, and the reason. */
export const wantedDifferences: readonly (readonly [RegExp, string])[] = [
  [/body\.input_request|body\.context/, 'the body of a run is read flat, as Langflow itself reads it'],
  [/body(?:\.flows\[\])?\.updated_at/, 'the server sets the time of a change, there as well'],
  [/flows\/upload query\.folder_id/, 'each flow of an upload names its folder'],
  [/flows\/upload body/, 'an upload without a file creates nothing'],
  [/flows 200\[\]\.user_id: optional/, 'headers of flows have no user, there neither'],
  [/\/users/, 'users have API keys and no passwords'],
  [/PATCH \/api\/v1\/triggers\/\{\} body\.\w+: nullable/, 'null answers 422 there as well'],
  [/flows query\.flow_type: words/, 'commas separate several words, there as well'],
  [/triggers\/ingress\/\{\}\/\{\} 200/, 'a delivery answers 202, as there'],
  [/v2\/files query\.(?:append|ephemeral)/, 'stored files are whole and are kept'],
  [/workflows body\.stream_protocol: words/, 'another protocol answers 422 there as well'],
  [/workflows 200\.object: other words/, 'the document of Langflow describes only jobs'],
];
