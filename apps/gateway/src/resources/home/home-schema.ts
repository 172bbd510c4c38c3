import { closedObject, text, named } from '@millrace/messages';

/** The response of `/` to programs; all members but name and version are URLs. */
export const homeSchema = named(
  'Server',
  closedObject({
    name: text,
    version: text,
    health: text,
    readiness: text,
    documentation: text,
    openapi: text,
  }),
);
