-- Callbacks to exchanges of users' brokers.

-- The connection, exchange and routing key; null for a callback to an address. The url of a callback to an exchange is
-- `amqp:` and the name of the connection's variable.
ALTER TABLE callback_deliveries ADD COLUMN amqp json;
