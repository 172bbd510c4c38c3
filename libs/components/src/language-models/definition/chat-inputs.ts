import { boolean, message, text } from '@millrace/flow';

/** The inputs that every chat model has. */
export const chatInputs = {
  input_value: message({ displayName: 'Input' }),
  system_message: text({ displayName: 'System Message', multiline: true }),
  stream: boolean({ displayName: 'Stream', advanced: true }),
};

/** The outputs that every chat model has. */
export const chatOutputs = {
  text_output: { types: ['Message'], displayName: 'Model Response', method: 'text_response' },
  model_output: { types: ['LanguageModel'], displayName: 'Language Model', tool: false },
} as const;
