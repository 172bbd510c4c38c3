import { ComponentError } from '@millrace/flow';
import { jsonDumpsCompactAscii } from '@millrace/python-text';

/** Bytes of the length before each frame, big-endian. */
export const headerBytes = 4;

/**
 * Returns a frame as its length and its JSON. Floats keep their decimal point, so that Python reads `2.0` as a float.
 * Throws a ComponentError when the frame exceeds the limit.
 */
export function encodeFrame(frame: object, maximumBytes: number): Buffer {
  const json = jsonDumpsCompactAscii(frame);
  // The text is ASCII: one byte for each character.
  if (json.length > maximumBytes) {
    throw new ComponentError(
      `The values for the Python process are larger than ${Math.round(maximumBytes / 1024 / 1024)} MiB.`,
    );
  }
  const buffer = Buffer.allocUnsafe(headerBytes + json.length);
  buffer.writeUInt32BE(json.length, 0);
  buffer.write(json, headerBytes, 'latin1');
  return buffer;
}
