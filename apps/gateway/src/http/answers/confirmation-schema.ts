import { closedObject, text } from '@millrace/messages';

/** A confirmation text. */
export const confirmationSchema = closedObject({ detail: text });
