from mcplite import Server

server = Server("hello", version="1.0")

@server.tool
def greet(name: str = "you") -> str:
    """Greets someone by name."""
    return f"Hello, {name}!"

if __name__ == "__main__":
    server.run()
