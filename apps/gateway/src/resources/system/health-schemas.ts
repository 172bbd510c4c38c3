import { anyObject, closedObject, flag, text, integer } from '@millrace/messages';

/** The process is alive. */
export const aliveSchema = closedObject({ status: { const: 'ok' } });

/** The process and its database are available. */
export const healthySchema = closedObject({ status: text, chat: text, db: text });

export const unhealthySchema = closedObject({ detail: healthySchema });

/** Whether the process can accept requests, with the result of each check. */
export const readinessSchema = closedObject({ ready: flag, checks: anyObject });

export const versionSchema = closedObject({
  version: text,
  main_version: text,
  package: text,
  millrace_version: text,
});

export const publicConfigSchema = closedObject({
  type: { const: 'public' },
  max_file_size_upload: integer,
  event_delivery: text,
  default_folder_name: text,
});
