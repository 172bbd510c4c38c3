/** An expression that is not arithmetic, or has no result; the message is Python's. */
export class ExpressionError extends Error {}

/** A division by zero. */
export class DivisionByZeroError extends ExpressionError {}

/** A result that no float holds. */
export class TooLargeError extends ExpressionError {}
