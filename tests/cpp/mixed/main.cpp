#include "../support/check.hpp"
#include "handlers.hpp"

int main()
{
    test::client client;
    CHECK_STATUS(register_with_exceptions(client.server), MCP_OK);
    CHECK_STATUS(register_without_exceptions(client.server), MCP_OK);
    CHECK_PART(client.call("with"), R"("text":"caught"}],"isError":true)");
    CHECK_PART(client.call("without"), R"("text":"fine")");
    return test::report();
}
