/**
 * A JSON Schema of a request body. Besides the standard keywords it can have annotations that determine how an error is
 * reported in FastAPI's shape:
 *
 * - `x-model: true` on an object: a missing or invalid value is reported as that of a model, not of a dictionary.
 * - `x-class: "Name"` on an object: an invalid value is reported as not being an instance of that class.
 * - `x-tweak: true`: a value of an invalid type is reported once for each type that a tweak can have.
 * - `x-enum: true`: an invalid word is reported as that of an enumeration, not of a literal.
 * - `x-not-null: true`: null is reported as a value that a validator of Langflow refuses.
 * - `x-flag: true`: a boolean, or one of the words that pydantic accepts (`on`, `no`, `1`, …); `x-flag: "optional"`
 *   accepts null as well.
 * - `x-integer: true`: an integer, an integer as text, or null.
 * - `x-date-time: true`: a point in time as text or Unix seconds, or null.
 * - `x-flow-data: true`: nodes and edges are required unless the object is empty.
 * - `x-error-text: "…"`: every error of the value is reported with this text.
 * - `x-public: {…}`: keywords of the published schema only; the route validates them and returns its own error text.
 * - `format`: `uuid`, `endpoint-name`, `project-name`, `flow-color` and `pool-name` as defined by the gateway.
 *
 * Members are in the order in which Langflow declares them, because errors are reported in that order.
 */
export type RequestSchema = Readonly<Record<string, unknown>>;
