import { closedObject, text, integer } from './answer-schema';

/** A confirmation text. */
export const confirmationSchema = closedObject({ detail: text });
export const flowDeletedSchema = closedObject({ message: text });
export const flowsDeletedSchema = closedObject({ deleted: integer });
