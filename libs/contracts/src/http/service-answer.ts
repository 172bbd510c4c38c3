import { anyObject, closed, flag, text, whole } from './answer-schema';

/** What `/` answers to programs; all but name and version are URLs. */
export const homeSchema = closed({
  name: text,
  version: text,
  health: text,
  readiness: text,
  documentation: text,
  openapi: text,
});

/** The process is there. */
export const aliveSchema = closed({ status: { const: 'ok' } });

/** The process and its database are there. */
export const healthySchema = closed({ status: text, chat: text, db: text });

export const unhealthySchema = closed({ detail: healthySchema });

/** Whether requests should come here, check by check. */
export const readinessSchema = closed({ ready: flag, checks: anyObject });

export const versionSchema = closed({
  version: text,
  main_version: text,
  package: text,
  millrace_version: text,
});

export const publicConfigSchema = closed({
  type: { const: 'public' },
  max_file_size_upload: whole,
  event_delivery: text,
  default_folder_name: text,
});
