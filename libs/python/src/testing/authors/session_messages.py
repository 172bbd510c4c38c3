# Stores messages in the session and reads them back, with the session's names and order.
from langflow.custom import Component
from langflow.io import MessageTextInput, Output
from langflow.memory import aget_messages, astore_message, get_messages
from langflow.schema import DataFrame
from langflow.schema.message import Message
from langflow.utils.constants import MESSAGE_SENDER_AI, MESSAGE_SENDER_USER


class SessionMessages(Component):
    display_name = "Session"
    inputs = [MessageTextInput(name="text", display_name="Text")]
    outputs = [Output(name="table", display_name="Table", method="exchange")]

    async def exchange(self) -> DataFrame:
        session = self.graph.session_id
        for sender, name, text in [(MESSAGE_SENDER_USER, "Ann", self.text), (MESSAGE_SENDER_AI, "Bot", "Hello Ann")]:
            stored = await astore_message(Message(text=text, sender=sender, sender_name=name, session_id=session))
            self.log(stored[0].id is not None and str(stored[0].flow_id))
        everything = await aget_messages(session_id=session, order="ASC")
        newest = get_messages(session_id=session, sender=MESSAGE_SENDER_AI, limit=1)
        return DataFrame([{"text": m.text, "name": m.sender_name} for m in [*everything, *newest]])
