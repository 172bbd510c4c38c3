# Every kind of setting that the editor has, as the author's code gets it.
from lfx.custom import Component
from lfx.io import (
    BoolInput,
    DictInput,
    DropdownInput,
    FloatInput,
    IntInput,
    MultiselectInput,
    NestedDictInput,
    Output,
    QueryInput,
    SliderInput,
    StrInput,
    TableInput,
    TabInput,
)
from lfx.field_typing.range_spec import RangeSpec
from lfx.schema import Data


class AllSettings(Component):
    display_name = "Settings"
    inputs = [
        IntInput(name="count", display_name="Count", value=3),
        FloatInput(name="ratio", display_name="Ratio", value=0.5),
        SliderInput(name="slider", display_name="Slider", value=1.0, range_spec=RangeSpec(min=0, max=2, step=0.1)),
        BoolInput(name="flag", display_name="Flag", value=False),
        StrInput(name="words", display_name="Words", is_list=True),
        DropdownInput(name="choice", display_name="Choice", options=["a", "b"], value="a", combobox=True),
        MultiselectInput(name="several", display_name="Several", options=["x", "y", "z"], value=["x"]),
        TabInput(name="tab", display_name="Tab", options=["one", "two"], value="one"),
        DictInput(name="headers", display_name="Headers", is_list=True, value={}),
        NestedDictInput(name="nested", display_name="Nested", value={}),
        QueryInput(name="query", display_name="Query", value="select"),
        TableInput(
            name="table",
            display_name="Table",
            table_schema=[{"name": "key", "type": "str"}, {"name": "size", "type": "int"}],
            value=[{"key": "a", "size": 1}],
        ),
    ]
    outputs = [Output(name="settings", display_name="Settings", method="show")]

    def show(self) -> Data:
        names = [definition.name for definition in self.inputs]
        return Data(data={name: getattr(self, name) for name in names})
