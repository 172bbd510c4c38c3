/** Layout of ZIP files from APPNOTE 6.3: signatures, lengths of the fixed parts, and the two supported methods. */
export const LOCAL_HEADER = { signature: 0x04034b50, bytes: 30 } as const;
export const CENTRAL_HEADER = { signature: 0x02014b50, bytes: 46 } as const;
export const END_RECORD = { signature: 0x06054b50, bytes: 22 } as const;
export const STORED = 0;
export const DEFLATED = 8;
/** Flag bits: the content is encrypted; the name is UTF-8. */
export const ENCRYPTED = 0x0001;
export const UTF8_NAME = 0x0800;
