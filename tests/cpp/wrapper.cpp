// What a handler reads and answers through mcplite.hpp, and what a server offers.
#include "support/check.hpp"

using std::string_view_literals::operator""sv;

namespace {

void arguments_are_there_or_not()
{
    test::client client;
    int ran = 0;
    client.tool("read", [&ran](mcp::call &call) {
        ran++;
        CHECK(call.arg_str("text") == "a\0b"sv);
        CHECK(call.arg_str(std::string("text")) == "a\0b"sv);
        CHECK(call.arg_str("textual"sv.substr(0, 4)) == "a\0b"sv);
        CHECK(!call.arg_str("text\0ual"sv));
        CHECK(!call.arg_str("zero"));
        CHECK(!call.arg_str("absent"));
        CHECK(call.arg_str("empty") == ""sv);

        CHECK(call.arg_int("zero") == 0);
        CHECK(call.arg_int("one") == 1);
        CHECK(call.arg_int("big") == INT64_MAX);
        CHECK(!call.arg_int("text"));
        CHECK(!call.arg_int("absent"));
        CHECK(call.arg_int("absent", 7) == 7);
        CHECK(call.arg_int("zero", 7) == 0);

        CHECK(call.arg_num("half") == 0.5);
        CHECK(call.arg_num("zero") == 0.0);
        CHECK(call.arg_num("one") == 1.0);
        CHECK(!call.arg_num("absent"));
        CHECK(call.arg_num("absent", 0.25) == 0.25);

        CHECK(call.arg_bool("yes") == true);
        CHECK(call.arg_bool("no") == false);
        CHECK(!call.arg_bool("zero"));
        CHECK(call.arg_bool("absent", true));
        CHECK(!call.arg_bool("no", true));

        CHECK(call.arg_json("/deep/0/k") == "[ 1 ]"sv);
        CHECK(call.arg_json()->substr(0, 7) == R"({"text")"sv);
        CHECK(!call.arg_json("absent"));
        return "read";
    });
    const char *arguments =
        R"({"text":"a\u0000b","empty":"","zero":0,"one":1,"big":9223372036854775807,)"
        R"("half":0.5,"yes":true,"no":false,"deep":[{"k":[ 1 ]}]})";
    CHECK_PART(client.call("read", arguments), R"("text":"read")");
    CHECK(ran == 1);
}

void what_else_is_known_of_a_call()
{
    test::client client;
    CHECK_STATUS(client.session.set_principal("ada"), MCP_OK);
    CHECK_STATUS(client.session.set_context(std::string("of the session")), MCP_OK);
    client.tool("info", [](mcp::call &call) {
        CHECK(call.info(MCP_INFO_METHOD) == "tools/call"sv);
        CHECK(call.name() == "info"sv);
        CHECK(call.info(MCP_INFO_REVISION) == "2025-06-18"sv);
        CHECK(call.info(MCP_INFO_PRINCIPAL) == "ada"sv);
        CHECK(!call.info(MCP_INFO_TRACEPARENT));
        CHECK(!call.state());
        CHECK(call.context<std::string>() && *call.context<std::string>() == "of the session");
        CHECK(!call.cancelled());
        return MCP_PENDING == call.set_deadline(-1) ? "?" : "known";
    });
    CHECK_PART(client.call("info"), R"("text":"known")");

    CHECK_STATUS(client.session.set_context(nullptr), MCP_OK);
    CHECK_STATUS(client.session.set_principal(nullptr), MCP_OK);
    client.tool("none", [](mcp::call &call) {
        CHECK(!call.context<std::string>());
        CHECK(!call.info(MCP_INFO_PRINCIPAL));
        return "none";
    });
    CHECK_PART(client.call("none"), R"("text":"none")");
}

void every_way_to_answer()
{
    test::client client;
    client.tool("status", [](mcp::call &call) { return call.reply_text("a\0b"sv); });
    client.tool("string", [](mcp::call &) { return std::string("string"); });
    client.tool("view", [](mcp::call &) { return "views"sv.substr(0, 4); });
    client.tool("literal", [](mcp::call &) { return "literal"; });
    client.tool("null", [](mcp::call &) { return static_cast<const char *>(nullptr); });
    client.tool("nothing", [](mcp::call &call) { call.reply_text("void"); });
    client.tool("generic", [](auto &call) { return call.reply_text("generic"); });
    client.tool("json", [](mcp::call &call) { return call.reply_json(R"({"n":1})"); });
    client.tool("result", [](mcp::call &call) {
        return call.reply_result(R"({"content":[],"isError":false})");
    });
    client.tool("error", [](mcp::call &call) { return call.reply_error(-7, "seven", "[7]"); });
    client.tool("bare", [](mcp::call &call) { return call.reply_error(-7, "seven"); });
    client.tool("fail", [](mcp::call &call) { return call.fail("it broke"); });
    client.tool("denied", [](mcp::call &call) {
        call.set_error_data(R"({"need":"admin"})");
        return call.fail(MCP_KIND_NOT_AUTHORISED, "not you");
    });
    client.tool("twice", [](mcp::call &call) {
        CHECK_STATUS(call.reply_text("once"), MCP_OK);
        CHECK_STATUS(call.reply_text("again"), MCP_E_ANSWERED);
    });
    client.tool("silent", [](mcp::call &) {});

    CHECK_PART(client.call("status"), R"("text":"a\u0000b")");
    CHECK_PART(client.call("string"), R"("text":"string")");
    CHECK_PART(client.call("view"), R"("text":"view")");
    CHECK_PART(client.call("literal"), R"("text":"literal")");
    CHECK_PART(client.call("null"), "rror");
    CHECK_PART(client.call("nothing"), R"("text":"void")");
    CHECK_PART(client.call("generic"), R"("text":"generic")");
    CHECK_PART(client.call("json"), R"("structuredContent":{"n":1})");
    CHECK_PART(client.call("result"), R"("result":{"content":[],"isError":false})");
    CHECK_PART(client.call("error"), R"("error":{"code":-7,"message":"seven","data":[7]})");
    CHECK_PART(client.call("bare"), R"("error":{"code":-7,"message":"seven"})");
    CHECK_PART(client.call("fail"),
               R"("content":[{"type":"text","text":"it broke"}],"isError":true)");
    CHECK_PART(client.call("denied"), "not you");
    CHECK_PART(client.call("denied"), R"("data":{"need":"admin"})");
    CHECK_PART(client.call("twice"), R"("text":"once")");
    CHECK_PART(client.call("silent"), "rror");
}

void an_answer_is_built_from_pieces()
{
    test::client client;
    mcp::server &server = client.server;
    client.tool("content", [](mcp::call &call) {
        CHECK_STATUS(call.add_text("text"), MCP_OK);
        CHECK_STATUS(call.add_media("image/png", "\x89PNG"sv), MCP_OK);
        CHECK_STATUS(call.add_resource("test://full", "full", "text/plain", "inside"), MCP_OK);
        CHECK_STATUS(call.add_resource("test://empty", "empty", "text/plain", {}), MCP_OK);
        CHECK_STATUS(call.add_link("test://link", "link"), MCP_OK);
        CHECK_STATUS(call.add_json(R"({"type":"text","text":"block"})"), MCP_OK);
        CHECK_STATUS(call.set_meta(R"({"com.example/m":1})"), MCP_OK);
        return call.reply();
    });
    const std::string content = client.call("content");
    CHECK_PART(content, R"({"type":"text","text":"text"})");
    CHECK_PART(content, R"("data":"iVBORw==","mimeType":"image/png")");
    CHECK_PART(content, R"("uri":"test://full","mimeType":"text/plain","text":"inside")");
    CHECK_PART(content, R"("uri":"test://empty","mimeType":"text/plain","text":"")");
    CHECK_PART(content, R"({"type":"resource_link","uri":"test://link","name":"link"})");
    CHECK_PART(content, R"({"type":"text","text":"block"})");
    CHECK_PART(content, R"("_meta":{"com.example/m":1})");

    client.tool("members", [](mcp::call &call) {
        const std::string text = "string";
        CHECK_STATUS(call.put("literal", "l"), MCP_OK);
        CHECK_STATUS(call.put("string", text), MCP_OK);
        CHECK_STATUS(call.put(std::string("view"), "v\0w"sv), MCP_OK);
        CHECK_STATUS(call.put("int", -1), MCP_OK);
        CHECK_STATUS(call.put("small", static_cast<uint8_t>(200)), MCP_OK);
        CHECK_STATUS(call.put("long", INT64_MIN), MCP_OK);
        CHECK_STATUS(call.put("unsigned", UINT64_MAX), MCP_OK);
        CHECK_STATUS(call.put("double", 0.5), MCP_OK);
        CHECK_STATUS(call.put("float", 0.25f), MCP_OK);
        CHECK_STATUS(call.put("yes", true), MCP_OK);
        CHECK_STATUS(call.put("no", false), MCP_OK);
        CHECK_STATUS(call.put("none", nullptr), MCP_OK);
        CHECK_STATUS(call.put_json("json", "[1]"), MCP_OK);
        return call.reply();
    });
    CHECK_PART(client.call("members"),
               R"("structuredContent":{"literal":"l","string":"string","view":"v\u0000w","int":-1,)"
               R"("small":200,"long":-9223372036854775808,)"
               R"("unsigned":18446744073709551615,"double":0.5,)"
               R"("float":0.25,"yes":true,"no":false,"none":null,"json":[1]})");

    client.tool("structured", [](mcp::call &call) {
        CHECK_STATUS(call.set_structured(R"({"n":2})"), MCP_OK);
        CHECK_STATUS(call.set_structured("{"), MCP_E_JSON);
        CHECK_STATUS(call.add_text("two"), MCP_OK);
        return call.reply();
    });
    CHECK_PART(client.call("structured"), R"("text":"two"}],"structuredContent":{"n":2})");

    CHECK_STATUS(server.set(MCP_OPT_ERROR_PRESET, MCP_PRESET_CLASSIC), MCP_OK);
    CHECK_STATUS(server.set(MCP_OPT_STACKTRACE, 1), MCP_OK);
    client.tool("traced", [](mcp::call &call) {
        CHECK_STATUS(call.set_stacktrace("main.cpp:1"), MCP_OK);
        return call.fail("it broke");
    });
    CHECK_PART(client.call("traced"), R"("stacktrace":"main.cpp:1")");
}

void every_kind_of_item_is_offered()
{
    test::client client;
    mcp::server &server = client.server;
    CHECK_STATUS(server.register_resource("test://made", "made", "text/plain", [](mcp::call &call) {
        CHECK_STATUS(call.add_media(nullptr, "made of "), MCP_OK);
        CHECK_STATUS(call.add_text(*call.name()), MCP_OK);
        return call.reply();
    }), MCP_OK);
    CHECK_STATUS(server.register_static("test://static", "static", "text/plain", "fixed"), MCP_OK);
    CHECK_STATUS(server.register_template("log:///{day}", "log", nullptr, [](mcp::call &call) {
        return std::string(*call.arg_str("day"));
    }), MCP_OK);
    const char *mood = R"([{"name":"mood"}])";
    CHECK_STATUS(server.register_prompt("talk", "Talks.", mood, [](mcp::call &call) {
        CHECK_STATUS(call.set_description("A talk"), MCP_OK);
        CHECK_STATUS(call.add_text("question"), MCP_OK);
        CHECK_STATUS(call.set_role("assistant"), MCP_OK);
        CHECK_STATUS(call.add_text("answer"), MCP_OK);
        return call.reply();
    }), MCP_OK);
    CHECK_STATUS(server.register_completion(MCP_PROMPT, "talk", "mood", [](mcp::call &call) {
        CHECK(call.arg_str("value") == "h"sv);
        CHECK_STATUS(call.add_text("happy"), MCP_OK);
        CHECK_STATUS(call.set_total(12), MCP_OK);
        CHECK_STATUS(call.set_has_more(true), MCP_OK);
        return call.reply();
    }), MCP_OK);
    CHECK_STATUS(server.register_method("test/sum", [](mcp::call &call) {
        const int64_t sum = call.arg_int("a", 0) + call.arg_int("b", 0);
        return call.reply_result(R"({"sum":)" + std::to_string(sum) + "}");
    }), MCP_OK);
    const char *defined = R"({"name":"defined","title":"Defined"})";
    CHECK_STATUS(server.register_definition(MCP_TOOL, defined,
                                            [](mcp::call &) { return "old"; }), MCP_OK);
    CHECK_STATUS(server.register_definition(MCP_TOOL | MCP_REPLACE, defined,
                                            [](mcp::call &) { return "new"; }), MCP_OK);

    const auto read = [&client](std::string_view uri) {
        return client.request("resources/read", R"({"uri":)" + mcp::json_quote(uri) + "}");
    };
    CHECK_PART(read("test://made"), "made of ");
    CHECK_PART(read("test://made"), R"("text":"test://made")");
    CHECK_PART(read("test://static"), R"("text":"fixed")");
    CHECK_PART(read("log:///monday"), R"("text":"monday")");
    CHECK_PART(client.request("prompts/get", R"({"name":"talk"})"),
               R"("description":"A talk","messages":[{"role":"user","content":{"type":"text",)"
               R"("text":"question"}},{"role":"assistant","content":{"type":"text",)"
               R"("text":"answer"}}])");
    const std::string complete = R"({"ref":{"type":"ref/prompt","name":"talk"},)"
                                 R"("argument":{"name":"mood","value":"h"}})";
    CHECK_PART(client.request("completion/complete", complete),
               R"({"values":["happy"],"total":12,"hasMore":true})");
    CHECK_PART(client.request("test/sum", R"({"a":2,"b":3})"), R"("result":{"sum":5})");
    CHECK_PART(client.call("defined"), R"("text":"new")");

    CHECK_PART(client.request("tools/list", "{}"), R"("title":"Defined")");
    CHECK_STATUS(server.set_item(MCP_TOOL, "defined", MCP_ITEM_HIDDEN, 1), MCP_OK);
    CHECK_PART(client.request("tools/list", "{}"), R"("tools":[])");
    CHECK_STATUS(server.unregister(MCP_TOOL, "defined"), MCP_OK);
    CHECK_STATUS(server.unregister(MCP_TOOL, "defined"), MCP_E_NOT_FOUND);
    CHECK_STATUS(server.unregister_completion(MCP_PROMPT, "talk", "mood"), MCP_OK);
    CHECK_PART(client.request("completion/complete", complete), R"("values":[])");
}

void what_is_refused_says_why()
{
    mcp::server server("refused", "1.0");
    const auto nothing = [](mcp::call &) {};
    CHECK_STATUS(server.register_tool("t", nullptr, R"({"type":"tune"})", nothing), MCP_E_SCHEMA);
    CHECK(server.last_error().status == MCP_E_SCHEMA);
    CHECK(server.last_error().text[0] != '\0');
    CHECK(server.register_tool("a\0b"sv, nullptr, nullptr, nothing) < 0);
    CHECK(server.register_tool(std::string("a\0b"sv), nullptr, nullptr, nothing) < 0);
    CHECK(mcp::status_text(MCP_E_SCHEMA) == mcp_status_str(MCP_E_SCHEMA));
    CHECK(mcp::version() == MCP_VERSION_STRING);
    CHECK_STATUS(server.set_seal_keys("too short"), MCP_E_INVALID);
    CHECK(!mcp::server("", "1.0"));
    CHECK(!mcp::server("a\0b"sv, "1.0"));
}

} // namespace

int main()
{
    arguments_are_there_or_not();
    what_else_is_known_of_a_call();
    every_way_to_answer();
    an_answer_is_built_from_pieces();
    every_kind_of_item_is_offered();
    what_is_refused_says_why();
    return test::report();
}
