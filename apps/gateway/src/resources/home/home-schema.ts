import { text, namedObject } from '@millrace/messages';

/** The response of `/` to programs; all members but name and version are URLs. */
export const homeSchema = namedObject('Server', {
  name: text,
  version: text,
  health: text,
  readiness: text,
  documentation: text,
  openapi: text,
});
