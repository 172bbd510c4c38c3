import { randomFillSync } from 'node:crypto';
import { machineTime } from './time/machine-time';

const RANDOM_BYTES_PER_ID = 10;
const pool = Buffer.alloc(RANDOM_BYTES_PER_ID * 400);
let poolOffset = pool.length;
let lastMilliseconds = 0;
let sequence = 0;

/**
 * Returns a new UUID, version 7 (RFC 9562): 48 bits of Unix milliseconds, then random bits. Ids of one process sort in
 * the order of their creation, which keeps database indexes compact.
 */
export function uuidv7(): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const random = pool.subarray(poolOffset, poolOffset + RANDOM_BYTES_PER_ID);
  poolOffset += RANDOM_BYTES_PER_ID;
  const now = machineTime();
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    // The upper bit starts clear, which leaves room to count up within one millisecond.
    sequence = random.readUInt16BE(0) & 0x7ff;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastMilliseconds += 1;
      sequence = 0;
    }
  }
  const time = lastMilliseconds.toString(16).padStart(12, '0');
  const counter = (0x7000 | sequence).toString(16);
  const variant = (0x8000 | (random.readUInt16BE(2) & 0x3fff)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${counter}-${variant}-${random.toString('hex', 4, 10)}`;
}
