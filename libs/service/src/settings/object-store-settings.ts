import { text } from './kinds';
import { objectAddress } from './object-address';

/** Where large contents are kept, if not in the database. */
export const objectStoreSettings = {
  MILLRACE_OBJECT_STORE_URL: text({
    unusual: true,
    description:
      '[S3-compatible store](backup.md#object-store) of large files, requests and results: `s3://key:secret@bucket/prefix?endpoint=https://host&region=name`; unset means the database.',
    optional: true,
    secret: true,
    check: (value) => void objectAddress(value),
  }),
} as const;
