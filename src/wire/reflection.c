/* The service grpc.reflection.v1.ServerReflection; v1alpha has the same messages. Spec: grpc.io, "Reflection". */
#include "base/unconst.h"
#include "wire/proto.h"
#include "wire/protofile.h"
#include "wire/reply.h"
#include "wire/routes.h"

#include "grpc/reflection/v1/reflection.pb-c.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_DEPENDENCY = 3, FILES_MAX = 256 };

typedef Grpc__Reflection__V1__ServerReflectionRequest request_message;
typedef Grpc__Reflection__V1__ServerReflectionResponse response_message;
typedef Grpc__Reflection__V1__ServiceResponse service_message;

typedef struct reflection {
    pt_routes *routes;
} reflection;

/* A response and what it can hold. */
typedef struct answer {
    response_message response;
    Grpc__Reflection__V1__ErrorResponse error;
    Grpc__Reflection__V1__FileDescriptorResponse files;
    Grpc__Reflection__V1__ExtensionNumberResponse extensions;
    Grpc__Reflection__V1__ListServiceResponse services;
} answer;

/* A file and all that it imports, each once. */
typedef struct file_list {
    ProtobufCBinaryData files[FILES_MAX];
    size_t count;
} file_list;

static bool is_listed(const file_list *list, pt_bytes_view file)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->files[i].data == file.data)
            return true;
    return false;
}

static void list_file(file_list *list, pt_bytes_view file)
{
    if (file.size_bytes == 0 || list->count == FILES_MAX || is_listed(list, file))
        return;
    list->files[list->count++] = (ProtobufCBinaryData){file.size_bytes, pt__unconst(file.data)};
}

static void list_imports(const reflection *r, file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        pt_bytes_view rest = {list->files[i].data, list->files[i].len};
        pt__proto_field field;
        while (pt__proto_next(&rest, &field) == PT_PROTO_FIELD)
            if (field.number == FILE_DEPENDENCY && field.wire_type == PT_PROTO_BYTES) {
                pt_text_view name = {(const char *)field.bytes.data, field.bytes.size_bytes};
                list_file(list, pt__protofile_by_name(r->routes, name));
            }
    }
}

static void respond_error(pt_call *call, answer *a, pt_grpc_code code, const char *text)
{
    grpc__reflection__v1__error_response__init(&a->error);
    a->error.error_code = (int32_t)code;
    a->error.error_message = pt__unconst(text);
    a->response.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
    a->response.error_response = &a->error;
    pt__reply_message(call, &a->response.base);
}

static void respond_file(const reflection *r, pt_call *call, answer *a, pt_bytes_view file)
{
    if (file.size_bytes == 0) {
        respond_error(call, a, PT_GRPC_NOT_FOUND, "there is no such file or symbol here");
        return;
    }
    file_list *list = calloc(1, sizeof(*list));
    if (list == NULL) {
        respond_error(call, a, PT_GRPC_RESOURCE_EXHAUSTED, "no memory for the descriptors");
        return;
    }
    list_file(list, file);
    list_imports(r, list);
    grpc__reflection__v1__file_descriptor_response__init(&a->files);
    a->files.n_file_descriptor_proto = list->count;
    a->files.file_descriptor_proto = list->files;
    a->response.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
    a->response.file_descriptor_response = &a->files;
    pt__reply_message(call, &a->response.base);
    free(list);
}

static void respond_extensions(const reflection *r, pt_call *call, answer *a, const char *type)
{
    if (pt__protofile_by_symbol(r->routes, type).size_bytes == 0) {
        respond_error(call, a, PT_GRPC_NOT_FOUND, "there is no such type here");
        return;
    }
    grpc__reflection__v1__extension_number_response__init(&a->extensions);
    a->extensions.base_type_name = pt__unconst(type);
    a->response.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ALL_EXTENSION_NUMBERS_RESPONSE;
    a->response.all_extension_numbers_response = &a->extensions;
    pt__reply_message(call, &a->response.base);
}

static void respond_services(const reflection *r, pt_call *call, answer *a)
{
    size_t count = 0;
    while (pt__routes_service_at(r->routes, count) != NULL)
        count++;
    service_message *services = calloc(count + 1, sizeof(*services));
    service_message **pointers = calloc(count + 1, sizeof(service_message *));
    grpc__reflection__v1__list_service_response__init(&a->services);
    for (size_t i = 0; i < count && services != NULL && pointers != NULL; i++) {
        services[i] = (service_message)GRPC__REFLECTION__V1__SERVICE_RESPONSE__INIT;
        services[i].name = pt__unconst(pt__routes_service_at(r->routes, i));
        pointers[i] = &services[i];
        a->services.n_service = i + 1;
    }
    a->services.service = pointers;
    a->response.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
    a->response.list_services_response = &a->services;
    pt__reply_message(call, &a->response.base);
    free(pointers);
    free(services);
}

static void respond(const reflection *r, pt_call *call, request_message *request, answer *a)
{
    const char *name = request->file_by_filename;
    switch (request->message_request_case) {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
        respond_file(r, call, a, pt__protofile_by_name(r->routes, (pt_text_view){name, strlen(name)}));
        return;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
        respond_file(r, call, a, pt__protofile_by_symbol(r->routes, request->file_containing_symbol));
        return;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
        respond_error(call, a, PT_GRPC_NOT_FOUND, "the protocols here define no extensions");
        return;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
        respond_extensions(r, call, a, request->all_extension_numbers_of_type);
        return;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
        respond_services(r, call, a);
        return;
    default: respond_error(call, a, PT_GRPC_INVALID_ARGUMENT, "the request asks nothing"); return;
    }
}

static void on_message(void *mount, pt_call *call, pt_bytes_view message)
{
    request_message *request =
        grpc__reflection__v1__server_reflection_request__unpack(NULL, message.size_bytes, message.data);
    if (request == NULL) {
        pt__reply_finish(call, PT_GRPC_INVALID_ARGUMENT, "the reflection request is malformed");
        return;
    }
    answer a;
    grpc__reflection__v1__server_reflection_response__init(&a.response);
    a.response.valid_host = request->host;
    a.response.original_request = request;
    respond(mount, call, request, &a);
    grpc__reflection__v1__server_reflection_request__free_unpacked(request, NULL);
}

static void on_half_closed(void *mount, pt_call *call)
{
    (void)mount;
    pt__reply_finish(call, PT_GRPC_OK, NULL);
}

static const pt_method methods[] = {
    {.path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
     .message = on_message,
     .half_closed = on_half_closed},
    {.path = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
     .message = on_message,
     .half_closed = on_half_closed},
};

static const pt_frontend_vtable reflection_frontend = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "reflection",
    .close = free,
    .methods = methods,
    .method_count = sizeof(methods) / sizeof(methods[0]),
};

pt_status pt_routes_add_reflection(pt_routes *routes, pt_error *err)
{
    reflection *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the reflection service");
    r->routes = routes;
    return pt__routes_add(routes, &reflection_frontend, r, err);
}
