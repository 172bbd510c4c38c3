import { text } from '@millrace/flow';

/** Inputs that narrow a search for news. */
export const newsInputs = {
  hl: text({ displayName: 'Language (hl)', inputTypes: [], advanced: true }),
  gl: text({ displayName: 'Country (gl)', inputTypes: [], advanced: true }),
  ceid: text({ displayName: 'Country:Language (ceid)', default: 'US:en', inputTypes: [], advanced: true }),
  topic: text({ displayName: 'Topic', inputTypes: [], advanced: true }),
  location: text({ displayName: 'Location (Geo)', inputTypes: [], advanced: true }),
};
